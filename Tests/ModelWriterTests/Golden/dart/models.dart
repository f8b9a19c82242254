import 'dart:typed_data';

import 'package:realm/realm.dart';

part 'models.realm.dart';

// The unique index of (name, age) isn't declared: only Freehold has such.
@RealmModel()
class _Keeper {
  @PrimaryKey()
  @MapTo('_id')
  late ObjectId id;

  @Indexed()
  late String name;
  late String? email;

  @Indexed(RealmIndexType.fullText)
  late String bio;
  late int age;
  late int? children;

  // 'height' is left out. It is stored as float, a type that Realm's SDK for Dart doesn't have; double is a different type.
  late double score;
  late bool isActive;
  late DateTime? born;
  late Uint8List photo;
  late Decimal128 balance;

  @Indexed()
  late Uuid? token;
  late RealmValue extra;

  // Freehold's delete rule 'deny' isn't declared: Realm's SDK for Dart has no such.
  late _Hound? favorite;
  late List<_Hound> hounds;
  late Set<_Keeper> friends;
  late Map<String, _Hound?> byName;
  late _Home? home;
  late List<_Home> offices;
  late List<String> tags;
  late Set<int> numbers;
  late Map<String, double?> ratings;
  late List<RealmValue> notes;

  // 'friendOf' is left out. Realm's SDK for Dart has no inverses of sets.
}

@RealmModel()
class _Hound {
  @PrimaryKey()
  @MapTo('_id')
  late int id;
  late String? name;

  @Backlink(#hounds)
  late Iterable<_Keeper> keepers;

  // 'named' is left out. Realm's SDK for Dart has no inverses of dictionaries.
}

@RealmModel(ObjectType.embeddedObject)
class _Home {
  late String? street;
  late String type;

  // The index of places isn't declared: only Freehold has such.
  late List<double> coordinates;

  @Backlink(#home)
  late Iterable<_Keeper> keeper;
}

@RealmModel(ObjectType.asymmetricObject)
class _Measurement {
  @PrimaryKey()
  @MapTo('_id')
  late Uuid id;
  late DateTime at;
  late double celsius;
}

@RealmModel()
@MapTo('kennel order')
class _KennelOrder {
  @PrimaryKey()
  @MapTo('_id')
  late String id;

  @MapTo('first_name')
  late String firstName;

  @MapTo('class')
  late int classValue;
  late String? description;

  @MapTo('goes-with')
  late _Hound? goesWith;

  @MapTo('a "quoted" \$name\u{a}')
  late bool aQuotedName;

  @MapTo('größe')
  late double grE;
}
