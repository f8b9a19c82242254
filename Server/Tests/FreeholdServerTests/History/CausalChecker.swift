/// Checks the reports of clients (`SyncChild`) about what they saw and did, while the clients and the server are
/// killed.
///
/// - *Read your writes*: a client sees everything that it has committed, also after a kill.
/// - *Monotonic reads*: a client continues to see what it has seen.
/// - *Causal*: a client that sees a transaction also sees everything that the author had seen and done before it.
/// - *Atomic, exactly once*: clients compare marks, a counter, a list and a set in one version, and report differences.
/// - *Nothing lost, nothing made up*: at the end all clients see the same: everything that was committed, and nothing
///   that no client began.
///
/// A kill can leave it open whether a transaction that was begun exists. If the client's file doesn't contain it, the
/// client uses its number again.
struct CausalChecker {
    private(set) var violations: [String] = []
    /// The last state that each client saw, as numbers of transactions by author.
    private var seen: [[Int]]
    /// The state that each client had seen when it began a transaction, by client and number from 1.
    private var causes: [[[Int]]]
    private var committed: [Int]
    private var final: [String?]

    init(clients: Int) {
        seen = Array(repeating: Array(repeating: 0, count: clients), count: clients)
        causes = Array(repeating: [], count: clients)
        committed = Array(repeating: 0, count: clients)
        final = Array(repeating: nil, count: clients)
    }

    var transactions: Int { committed.reduce(0, +) }

    /// Takes a line of a client's output.
    mutating func take(_ line: String, of client: Int) {
        let parts = line.split(separator: " ").map(String.init)
        switch parts.first {
        case "R"? where parts.count == 2: read(vector(parts[1]), client, line)
        case "I"? where parts.count == 3: begin(Int(parts[1]) ?? 0, vector(parts[2]), client, line)
        case "C"? where parts.count == 2:
            committed[client] = Int(parts[1]) ?? 0
            seen[client][client] = max(seen[client][client], committed[client])
        case "F"? where parts.count >= 2:
            read(vector(parts[1]), client, line)
            final[client] = line
        case "O"?, "U"?, "E"?: break
        default: note(client, line)
        }
    }

    private func vector(_ text: String) -> [Int] { text.split(separator: ",").map { Int($0) ?? -1 } }

    private mutating func note(_ client: Int, _ text: String) { violations.append("client \(client): \(text)") }

    private mutating func begin(_ number: Int, _ vector: [Int], _ client: Int, _ line: String) {
        read(vector, client, line)
        guard vector.indices.contains(client), number == vector[client] + 1 else {
            return note(client, "\(line): it isn't the next one")
        }
        // Removes transactions that were begun before and don't exist.
        causes[client].removeSubrange(min(number - 1, causes[client].count)...)
        guard causes[client].count == number - 1 else { return note(client, "\(line): those before it weren't begun") }
        causes[client].append(vector)
    }

    private mutating func read(_ vector: [Int], _ client: Int, _ line: String) {
        guard vector.count == seen.count else { return note(client, "\(line): nothing that can be read") }
        for author in vector.indices {
            if vector[author] < seen[client][author] {
                note(client, "\(line): it saw \(seen[client]) before")
            }
            guard vector[author] <= causes[author].count else {
                note(client, "\(line): client \(author) never began \(vector[author])")
                continue
            }
            guard vector[author] > 0 else { continue }
            let cause = causes[author][vector[author] - 1]
            for other in vector.indices where cause[other] > vector[other] {
                note(client, "\(line): transaction \(vector[author]) of client \(author) had seen \(cause)")
            }
        }
        if vector[client] < committed[client] { note(client, "\(line): it had committed \(committed[client])") }
        seen[client] = vector
    }

    /// Checks the final states of the clients. Called when all clients have everything.
    mutating func finish() {
        for client in final.indices {
            guard let line = final[client] else {
                note(client, "it never came to an end")
                continue
            }
            if line != final[0] { note(client, "it shows \(line) and client 0 \(final[0] ?? "nothing")") }
            for author in committed.indices where seen[client][author] < committed[author] {
                note(client, "it has \(seen[client]), and client \(author) committed \(committed[author])")
            }
        }
    }
}
