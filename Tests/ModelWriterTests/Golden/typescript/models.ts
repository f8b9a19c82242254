import Realm from "realm";

// The unique index of (name, age) isn't declared: only Freehold has such.
export class Keeper extends Realm.Object<Keeper> {
  _id!: Realm.BSON.ObjectId;
  name!: string;
  email?: string;
  bio!: string;
  age!: number;
  children?: number;
  height?: number;
  score!: number;
  isActive!: boolean;
  born?: Date;
  photo!: ArrayBuffer;
  balance!: Realm.BSON.Decimal128;
  token?: Realm.BSON.UUID;
  extra?: Realm.Mixed;
  favorite?: Hound;
  hounds!: Realm.List<Hound>;
  friends!: Realm.Set<Keeper>;
  byName!: Realm.Dictionary<Hound | null>;
  home?: Home;
  offices!: Realm.List<Home>;
  tags!: Realm.List<string>;
  numbers!: Realm.Set<number>;
  ratings!: Realm.Dictionary<number | null>;
  notes!: Realm.List<Realm.Mixed>;
  friendOf!: Realm.Results<Keeper>;

  static schema: Realm.ObjectSchema = {
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

export class Hound extends Realm.Object<Hound> {
  _id!: number;
  name?: string;
  keepers!: Realm.Results<Keeper>;
  named!: Realm.Results<Keeper>;

  static schema: Realm.ObjectSchema = {
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

export class Home extends Realm.Object<Home> {
  street?: string;
  type!: string;
  coordinates!: Realm.List<number>;
  keeper!: Realm.Results<Keeper>;

  static schema: Realm.ObjectSchema = {
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

export class Measurement extends Realm.Object<Measurement> {
  _id!: Realm.BSON.UUID;
  at!: Date;
  celsius!: number;

  static schema: Realm.ObjectSchema = {
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

export class KennelOrder extends Realm.Object<KennelOrder> {
  _id!: string;
  firstName!: string;
  class!: number;
  description?: string;
  "goes-with"?: Hound;
  "a \"quoted\" $name\u000a"!: boolean;
  größe!: number;

  static schema: Realm.ObjectSchema = {
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
