/// Checks what clients say that they saw and did (`SyncChild`), while they and the server are killed:
/// - *read your writes*: what a client committed it sees ever after, killed or not;
/// - *monotonic reads*: what it saw it goes on to see;
/// - *causal*: who sees a transaction sees all that its author saw when it was made, and all that the author did before;
/// - *atomic, exactly once*: clients compare marks, a counter, a list and a set in one version, and say when they differ;
/// - *nothing lost, nothing made up*: at the end all see the same, everything that was committed, and nothing that nobody began.
///
/// A transaction that was begun, and whose client was killed before it could say more, may be there or not. Then its number is used again, or
/// isn't, according to what the client's file has.
struct CausalChecker {
    private(set) var violations: [String] = []
    /// What each client saw last.
    private var seen: [[Int]]
    /// Of each client's transactions, by number from 1, what it saw when it made them.
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
        // One that was begun before and never was.
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

    /// At the end, when all have everything.
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
