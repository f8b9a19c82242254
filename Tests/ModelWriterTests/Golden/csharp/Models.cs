#nullable enable

using System;
using System.Collections.Generic;
using System.Linq;
using MongoDB.Bson;
using Realms;

// The unique index of (name, age) isn't declared: only Freehold has such.
public partial class Keeper : IRealmObject
{
    [PrimaryKey]
    [MapTo("_id")]
    public ObjectId Id { get; set; } = ObjectId.GenerateNewId();

    [Indexed(IndexType.General)]
    [MapTo("name")]
    public string Name { get; set; } = "";

    [MapTo("email")]
    public string? Email { get; set; }

    [Indexed(IndexType.FullText)]
    [MapTo("bio")]
    public string Bio { get; set; } = "";

    [MapTo("age")]
    public long Age { get; set; }

    [MapTo("children")]
    public long? Children { get; set; }

    [MapTo("height")]
    public float? Height { get; set; }

    [MapTo("score")]
    public double Score { get; set; }

    [MapTo("isActive")]
    public bool IsActive { get; set; }

    [MapTo("born")]
    public DateTimeOffset? Born { get; set; }

    [MapTo("photo")]
    public byte[] Photo { get; set; } = Array.Empty<byte>();

    [MapTo("balance")]
    public Decimal128 Balance { get; set; }

    [Indexed(IndexType.General)]
    [MapTo("token")]
    public Guid? Token { get; set; }

    [MapTo("extra")]
    public RealmValue Extra { get; set; }

    // Freehold's delete rule 'deny' isn't declared: Realm's SDK for .NET has no such.
    [MapTo("favorite")]
    public Hound? Favorite { get; set; }

    [MapTo("hounds")]
    public IList<Hound> Hounds { get; } = null!;

    [MapTo("friends")]
    public ISet<Keeper> Friends { get; } = null!;

    [MapTo("byName")]
    public IDictionary<string, Hound?> ByName { get; } = null!;

    [MapTo("home")]
    public Home? Home { get; set; }

    [MapTo("offices")]
    public IList<Home> Offices { get; } = null!;

    [MapTo("tags")]
    public IList<string> Tags { get; } = null!;

    [MapTo("numbers")]
    public ISet<long> Numbers { get; } = null!;

    [MapTo("ratings")]
    public IDictionary<string, double?> Ratings { get; } = null!;

    [MapTo("notes")]
    public IList<RealmValue> Notes { get; } = null!;

    [Backlink(nameof(Keeper.Friends))]
    public IQueryable<Keeper> FriendOf { get; } = null!;
}

public partial class Hound : IRealmObject
{
    [PrimaryKey]
    [MapTo("_id")]
    public long Id { get; set; }

    [MapTo("name")]
    public string? Name { get; set; }

    [Backlink(nameof(Keeper.Hounds))]
    public IQueryable<Keeper> Keepers { get; } = null!;

    // 'named' is left out. Realm's SDK for .NET has no inverses of dictionaries.
}

public partial class Home : IEmbeddedObject
{
    [MapTo("street")]
    public string? Street { get; set; }

    [MapTo("type")]
    public string Type { get; set; } = "";

    // The index of places isn't declared: only Freehold has such.
    [MapTo("coordinates")]
    public IList<double> Coordinates { get; } = null!;

    [Backlink(nameof(Keeper.Home))]
    public IQueryable<Keeper> Keeper { get; } = null!;
}

public partial class Measurement : IAsymmetricObject
{
    [PrimaryKey]
    [MapTo("_id")]
    public Guid Id { get; set; } = Guid.NewGuid();

    [MapTo("at")]
    public DateTimeOffset At { get; set; }

    [MapTo("celsius")]
    public double Celsius { get; set; }
}

[MapTo("kennel order")]
public partial class KennelOrder : IRealmObject
{
    [PrimaryKey]
    [MapTo("_id")]
    public string Id { get; set; } = "";

    [MapTo("first_name")]
    public string firstName { get; set; } = "";

    [MapTo("class")]
    public long Class { get; set; }

    [MapTo("description")]
    public string? Description { get; set; }

    [MapTo("goes-with")]
    public Hound? GoesWith { get; set; }

    [MapTo("a \"quoted\" $name\u000a")]
    public bool AQuotedName { get; set; }

    [MapTo("größe")]
    public double Größe { get; set; }
}
