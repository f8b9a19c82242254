/// The attacks that exceed the bounds in a release build on two cores, which the attackers' own process shares.
///
/// A change that fixes an attack removes the line of the attack here.
enum KnownAttacks {
    /// The reasons by the names of the attacks.
    static let winning: [String: String] = [
        "200,000 objects in a commit": "an object takes about 2.5 KB until its commit is stored",
        "2,000,000 changes in a message": "a decoded change takes about 200 bytes",
        "inserts into a set of 200,000": "an edit of a large set reads the whole set",
        "entries of a dictionary of 100,000": "an edit of a large dictionary reads the whole dictionary",
        "inserts at the front of a list, one a commit": "a commit costs the size of its list",
        "a mixed value that grows past 16 MB": "each entry rewrites the whole value",
        "pushes to one document": "an edit of a list reads the whole list",
        "100,000 documents in a request": "an object takes about 2.5 KB until its commit is stored",
        "JSON of 16 MiB of small values": "a value of parsed JSON takes about 16 times its bytes",
        "a frame of 16 MiB, byte by byte": "an incomplete message grows in a buffer that doubles",
        "bootstraps of 4 MiB objects": "a page has one object at least, and each session has a page",
        "bootstraps that aren't read": "a page has one object at least, and each session has a page",
        "binds with 100,000 objects that are held": "log-ins share the processor with the comparison of objects",
        "log-ins from one address": "log-ins wait in one queue for all addresses",
        "log-ins from 1,000 addresses": "log-ins wait in one queue for all addresses",
        "registrations from 1,000 addresses": "log-ins wait in one queue for all addresses",
        "anonymous users by the thousand": "each new user is a write of the file of accounts",
        "parts of commits that never end": "each part is a write of the stream's file",
        "marks for ever": "the machine handles small messages in the order of their arrival",
        "a million credits": "the machine handles small messages in the order of their arrival",
        "20 connections bind 1,000 sessions each": "binds of one user have no turns",
        "resumes that compare classes": "comparisons of one user have no turns among each other",
        // A log-in computes a hash for 0.2 s, and takes 0.5 to 0.7 s while an attacker's process needs a core.
        "API keys that are made up": "log-ins share the processor",
        "IN lists of keys over HTTP": "log-ins share the processor",
        "JSON 500,000 deep": "log-ins share the processor",
        "JSON of numbers with a million digits": "log-ins share the processor",
        "a session that binds and unbinds for ever": "log-ins share the processor",
        "bodies that are compressed bombs": "log-ins share the processor",
        "change streams that begin and end": "log-ins share the processor",
        "connections that come and go": "log-ins share the processor",
        "heads of a megabyte": "log-ins share the processor",
        "messages of unknown kinds": "log-ins share the processor",
        "pipelined pages that aren't read": "log-ins share the processor",
        "requests for new passwords": "log-ins share the processor",
    ]
}
