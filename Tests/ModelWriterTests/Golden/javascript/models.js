import Realm from "realm";

// The unique index of (name, age) isn't declared: only Freehold has such.
export class Keeper extends Realm.Object {
  static schema = {
    name: "Keeper",
    primaryKey: "_id",
    properties: {
      _id: "objectId",
      name: { type: "string", indexed: true },
      email: "string?",
      bio: { type: "string", indexed: "full-text" },
      age: "int",
      children: "int?",
      height: "float?",
      score: "double",
      isActive: "bool",
      born: "date?",
      photo: "data",
      balance: "decimal128",
      token: { type: "uuid", optional: true, indexed: true },
      extra: "mixed",
      // Freehold's delete rule 'deny' isn't declared: Realm's SDK for JavaScript has no such.
      favorite: "Hound?",
      hounds: "Hound[]",
      friends: "Keeper<>",
      byName: "Hound?{}",
      home: "Home?",
      offices: "Home[]",
      tags: "string[]",
      numbers: "int<>",
      ratings: "double?{}",
      notes: "mixed[]",
      friendOf: { type: "linkingObjects", objectType: "Keeper", property: "friends" },
    },
  };
}

export class Hound extends Realm.Object {
  static schema = {
    name: "Hound",
    primaryKey: "_id",
    properties: {
      _id: "int",
      name: "string?",
      keepers: { type: "linkingObjects", objectType: "Keeper", property: "hounds" },
      named: { type: "linkingObjects", objectType: "Keeper", property: "byName" },
    },
  };
}

export class Home extends Realm.Object {
  static schema = {
    name: "Home",
    embedded: true,
    properties: {
      street: "string?",
      type: "string",
      // The index of places isn't declared: only Freehold has such.
      coordinates: "double[]",
      keeper: { type: "linkingObjects", objectType: "Keeper", property: "home" },
    },
  };
}

export class Measurement extends Realm.Object {
  static schema = {
    name: "Measurement",
    asymmetric: true,
    primaryKey: "_id",
    properties: {
      _id: "uuid",
      at: "date",
      celsius: "double",
    },
  };
}

export class KennelOrder extends Realm.Object {
  static schema = {
    name: "kennel order",
    primaryKey: "_id",
    properties: {
      _id: "string",
      firstName: { type: "string", mapTo: "first_name" },
      class: "int",
      description: "string?",
      "goes-with": "Hound?",
      "a \"quoted\" $name\u000a": "bool",
      größe: "double",
    },
  };
}
