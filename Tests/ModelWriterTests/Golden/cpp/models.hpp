#pragma once

#include <cpprealm/sdk.hpp>

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace realm {

struct Hound;
struct Home;

// The unique index of (name, age) isn't declared: only Freehold has such.
struct Keeper {
    realm::primary_key<realm::object_id> _id{realm::object_id::generate()};
    // The index isn't declared: Realm's SDK for C++ has none.
    std::string name;
    std::optional<std::string> email;
    // The full-text index isn't declared: Realm's SDK for C++ has none.
    std::string bio;
    int64_t age = 0;
    std::optional<int64_t> children;
    // 'height' is left out. It is stored as float, a type that Realm's SDK for C++ doesn't have; double is a different type.
    double score = 0;
    bool isActive = false;
    std::optional<std::chrono::time_point<std::chrono::system_clock>> born;
    std::vector<uint8_t> photo;
    realm::decimal128 balance;
    // The index isn't declared: Realm's SDK for C++ has none.
    std::optional<realm::uuid> token;
    realm::mixed extra;
    // Freehold's delete rule 'deny' isn't declared: Realm's SDK for C++ has no such.
    Hound *favorite = nullptr;
    std::vector<Hound *> hounds;
    std::set<Keeper *> friends;
    std::map<std::string, Hound *> byName;
    Home *home = nullptr;
    std::vector<Home *> offices;
    std::vector<std::string> tags;
    std::set<int64_t> numbers;
    // 'ratings' is left out. Its elements can be null, which Realm's SDK for C++ doesn't support.
    std::vector<realm::mixed> notes;
    realm::linking_objects<&Keeper::friends> friendOf;
};
REALM_SCHEMA(Keeper, _id, name, email, bio, age, children, score, isActive, born, photo, balance, token, extra, favorite, hounds, friends, byName, home, offices, tags, numbers, notes, friendOf)

struct Hound {
    realm::primary_key<int64_t> _id;
    std::optional<std::string> name;
    realm::linking_objects<&Keeper::hounds> keepers;
    realm::linking_objects<&Keeper::byName> named;
};
REALM_SCHEMA(Hound, _id, name, keepers, named)

struct Home {
    std::optional<std::string> street;
    std::string type;
    // The index of places isn't declared: only Freehold has such.
    std::vector<double> coordinates;
    realm::linking_objects<&Keeper::home> keeper;
};
REALM_EMBEDDED_SCHEMA(Home, street, type, coordinates, keeper)

struct Measurement {
    realm::primary_key<realm::uuid> _id;
    std::chrono::time_point<std::chrono::system_clock> at;
    double celsius = 0;
};
REALM_ASYMMETRIC_SCHEMA(Measurement, _id, at, celsius)

// The class 'kennel order' is left out. Realm's SDK for C++ can't call a class so, nor map the name to another.

} // namespace realm
