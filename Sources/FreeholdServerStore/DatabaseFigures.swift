/// Figures of the database of a store, for administrators.
public struct DatabaseFigures: Hashable, Sendable {
    /// The version of the database's program.
    public let version: String
    /// The name of the database.
    public let name: String
    /// The size of the database on its disk, with indexes and with tables of other programs.
    public let bytes: Int64
    /// The connections of all programs to the database.
    public let connections: Int64
    /// The connections that the program of the database accepts, for all of its databases.
    public let mostConnections: Int64
    /// A Boolean value that indicates whether the database is a standby.
    public let isReadOnly: Bool
    /// The time of the statement that read the figures.
    public let roundTrip: Duration

    public init(
        version: String,
        name: String,
        bytes: Int64,
        connections: Int64,
        mostConnections: Int64,
        isReadOnly: Bool,
        roundTrip: Duration
    ) {
        (self.version, self.name, self.bytes) = (version, name, bytes)
        (self.connections, self.mostConnections) = (connections, mostConnections)
        (self.isReadOnly, self.roundTrip) = (isReadOnly, roundTrip)
    }
}
