/// The objects that a client asked for by name, by requests, in order.
struct FetchQueue: Sendable {
    private var requests: ArraySlice<ArraySlice<ObjectName>> = []
    /// The number of names.
    private(set) var names = 0
    /// About how many bytes the names take in memory.
    private(set) var bytes = 0

    var isEmpty: Bool { requests.isEmpty }

    /// The number of requests.
    var count: Int { requests.count }

    /// The names of the first request that weren't read.
    var first: ArraySlice<ObjectName>? { requests.first }

    /// Adds a request. Names that it has twice count once.
    mutating func append(_ names: [ObjectName]) {
        let sorted = Set(names).sorted()
        guard !sorted.isEmpty else { return }
        requests.append(sorted[...])
        self.names += sorted.count
        bytes += sorted.reduce(0) { $0 + $1.estimatedBytes }
    }

    /// Removes names from the beginning of the first request.
    ///
    /// - Precondition: The first request has so many names.
    mutating func removeFirst(_ count: Int) {
        guard var names = requests.popFirst() else { preconditionFailure("There is no request.") }
        self.names -= count
        bytes -= names.prefix(count).reduce(0) { $0 + $1.estimatedBytes }
        names.removeFirst(count)
        if !names.isEmpty { requests.insert(names, at: requests.startIndex) }
    }

    func checkInvariants() {
        assert(names == requests.reduce(0) { $0 + $1.count }, "The number isn't that of the names.")
        assert(bytes == requests.joined().reduce(0) { $0 + $1.estimatedBytes }, "The bytes aren't those of the names.")
    }
}
