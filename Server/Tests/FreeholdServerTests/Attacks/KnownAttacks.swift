/// The attacks that still exceed the bounds.
///
/// A change that fixes an attack removes the line of the attack here.
enum KnownAttacks {
    /// The reasons by the names of the attacks.
    static let winning: [String: String] = [
        "a key of 8 MB": "the machine's loop walks a long key several times",
        "six users with a key of 8 MB in own streams": "the machine's loop walks a long key several times",
        "values of 21 MB beside columns": "the stream stands while one large object is written",
        "names with a NUL beside 18 MB": "memory of large refused or hidden values stays",
        "names of fields of 7 MB": "names of fields aren't bounded when a commit is taken, and stay in memory",
        "a mixed value that grows past 16 MB": "each entry rewrites the whole value",
        "a thousand classes in a commit": "growth isn't linear",
        "a class in each of many commits": "growth isn't linear",
        "20,000 commits in a message": "the groups of one file aren't bounded by time",
        "200,000 objects in a commit": "a large commit is merged on the machine's loop",
        "2,000,000 changes in a message": "messages are decoded on the loop of other connections",
        "parts of commits that never end": "bytes of incomplete commits aren't in a user's share",
        "inserts into a set of 200,000": "an edit of a large set costs its size",
        "inserts at the front of a list, one a commit": "a commit costs the size of its list",
        "50,000 CONTAINS in a condition": "conditions have no budget",
        "CONTAINS of what repeats": "conditions have no budget",
        "1,000 conditions over 5,000 objects": "conditions have no budget",
        "IN lists of 300,000": "conditions are compiled on the machine's loop",
        "IN lists of keys over HTTP": "reads over HTTP have no turns",
        "six LIKE over HTTP": "reads over HTTP have no turns",
        "conditions 100,000 deep": "conditions are compiled on the machine's loop",
        "conditions with sort, distinct and limit": "bootstraps have no turns",
        "subscriptions that flap": "query sets have no budget",
        "query sets of 16 MB": "query sets aren't bounded by bytes",
        "bootstraps of 4 MiB objects": "a page is bounded by objects and not by bytes",
        "one of 60 documents of 4 MiB, again and again": "a page is bounded by objects and not by bytes",
        "fragments of messages that never end": "fragments of a user's connections have no common bound",
        "a frame of 16 MiB, byte by byte": "fragments of a user's connections have no common bound",
        "5,000 sessions that do nothing": "binds of one user have no turns",
        "resumes that compare classes": "comparisons have no turns",
        "pages that aren't read": "a page is bounded by objects and not by bytes",
        "JSON of 16 MiB of small values": "requests over HTTP have no turns",
        "JSON of numbers with a million digits": "requests over HTTP have no turns",
        "binds with a million hashes": "messages are decoded on the loop of other connections",
        "binds with 100,000 objects that are held": "messages are decoded on the loop of other connections",
    ]
}
