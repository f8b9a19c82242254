import FreeholdCompression
import FreeholdSyncCore

/// Requests over HTTP.
extension Attack {
    private static let documents = "/api/data/v1/app/docs/Doc"
    private static let userpass = "/api/client/v2.0/app/docs/auth/providers/local-userpass/"

    static let requests: [Attack] = [
        Attack(name: "a document with a key of 8 MB over HTTP") { field in
            let body = Array("{\"_id\": \"\(Made.text(8_600_000).string)\"}".utf8)
            let request = try await field.request("POST", documents, body: body)
            return { try await field.ask(request) }
        },
        Attack(name: "bodies that trickle") { field in
            let head = try await field.request("POST", documents)
            let text = String(decoding: head, as: UTF8.self).replacing(
                "Content-Length: 0",
                with: "Content-Length: 16000000"
            )
            let begin = Array(text.utf8) + [UInt8](repeating: 0x20, count: 15 << 20)
            var connections: [RawConnection] = []
            for _ in 0..<8 { connections.append(try await field.raw()) }
            let all = connections
            return {
                for connection in all { await connection.send(begin) }
                while !field.hasLeft {
                    for connection in all { await connection.send([0x20]) }
                    try await Task.sleep(for: .milliseconds(500))
                }
            }
        },
        Attack(name: "heads that trickle", isShort: true) { field in
            var connections: [RawConnection] = []
            for _ in 0..<field.share(2_000) { connections.append(try await field.raw()) }
            let all = connections
            return {
                for connection in all { await connection.send(Array("GET /health HTTP/1.1\r\nHost: x\r\nX-A: ".utf8)) }
                while !field.hasLeft {
                    for connection in all { await connection.send([0x61]) }
                    try await Task.sleep(for: .milliseconds(500))
                }
            }
        },
        Attack(name: "heads of a megabyte") { field in
            let request =
                Array("GET /health HTTP/1.1\r\nHost: x\r\nX-A: ".utf8) + [UInt8](repeating: 0x61, count: 1 << 20)
            return { await field.flood(20) { _ in request } }
        },
        Attack(name: "pages that aren't read") { field in
            let text = Made.text(10_000).string
            for start in stride(from: 0, to: field.share(4_000), by: 400) {
                let batch = (start..<start + 400).map { "{\"_id\": \($0), \"text\": \"\(text)\"}" }
                try await field.write(documents: batch)
            }
            let request = try await field.request("GET", documents + "?limit=10000")
            var connections: [RawConnection] = []
            for _ in 0..<20 {
                let connection = try await field.raw()
                try await connection.setReading(false)
                connections.append(connection)
            }
            let all = connections
            return {
                for connection in all { await connection.send(request) }
                while !field.hasLeft { try await Task.sleep(for: .milliseconds(100)) }
            }
        },
        Attack(name: "connections that wait for their next request") { field in
            var connections: [RawConnection] = []
            for _ in 0..<field.share(4_000) { connections.append(try await field.raw()) }
            let all = connections
            return {
                for connection in all {
                    await connection.send(Array("GET /health HTTP/1.1\r\nHost: x\r\n\r\n".utf8))
                    _ = await connection.next()
                }
                while !field.hasLeft { try await Task.sleep(for: .milliseconds(100)) }
            }
        },
        Attack(name: "pipelined pages that aren't read") { field in
            let text = Made.text(10_000).string
            try await field.write(documents: (0..<400).map { "{\"_id\": \($0), \"text\": \"\(text)\"}" })
            let last = String(decoding: try await field.request("GET", documents + "?limit=400"), as: UTF8.self)
            let request = Array(last.replacing("Connection: close\r\n", with: "").utf8)
            var connections: [RawConnection] = []
            for _ in 0..<20 {
                let connection = try await field.raw()
                try await connection.setReading(false)
                connections.append(connection)
            }
            let all = connections
            return {
                for connection in all { await connection.send(Array(repeatElement(request, count: 50).joined())) }
                while !field.hasLeft { try await Task.sleep(for: .milliseconds(100)) }
            }
        },
        Attack(name: "change streams that aren't read") { field in
            let follow = try await field.request("GET", "/api/data/v1/app/docs/$changes")
            for _ in 0..<40 {
                let connection = try await field.raw()
                try await connection.setReading(false)
                await connection.send(follow)
            }
            let text = (0..<20_000).map { "\($0)" }.joined()
            let count = field.share(100)
            return {
                for index in 0..<count where !field.hasLeft {
                    try await field.write(documents: ["{\"_id\": \(index), \"text\": \"\(text)\"}"])
                }
            }
        },
        Attack(name: "change streams that begin and end") { field in
            let request = try await field.request("GET", "/api/data/v1/app/docs/$changes")
            return {
                await withTaskGroup(of: Void.self) { group in
                    for _ in 0..<10 {
                        group.addTask {
                            while !field.hasLeft {
                                guard let connection = try? await field.raw() else { continue }
                                await connection.send(request)
                                _ = await connection.next()
                                await connection.close()
                            }
                        }
                    }
                }
            }
        },
        Attack(name: "bodies that are compressed bombs") { field in
            let zeros = [UInt8](repeating: 0x20, count: 15 << 20)
            let body = ZlibCompression.shared.compressed(zeros) ?? []
            let request = try await field.request("POST", documents, body: body, headers: ["Content-Encoding: deflate"])
            return { await field.flood(20) { _ in request } }
        },
        Attack(name: "JSON 500,000 deep", isShort: true) { field in
            let body = [UInt8](repeating: 0x5B, count: 500_000)
            let request = try await field.request("POST", documents, body: body)
            return { await field.flood(4) { _ in request } }
        },
        Attack(name: "JSON of 16 MiB of small values") { field in
            let body = Array("[\(Array(repeating: "{}", count: 5_000_000).joined(separator: ","))]".utf8)
            let request = try await field.request("POST", documents, body: body)
            return { await field.flood(3) { _ in request } }
        },
        Attack(name: "JSON of numbers with a million digits") { field in
            let digits = String(repeating: "7", count: 1_000_000)
            let body = Array("{\"_id\": 1, \"number\": \(digits), \"x\": {\"$numberDecimal\": \"\(digits)\"}}".utf8)
            let request = try await field.request("POST", documents, body: body)
            return { await field.flood(6) { _ in request } }
        },
        Attack(name: "100,000 documents in a request") { field in
            let count = field.share(100_000)
            return {
                await field.flood(2) { number in
                    let documents = (0..<count).map { "{\"_id\": \(number * count + $0), \"text\": \"abc\"}" }
                    return try await field.request(
                        "POST",
                        Self.documents,
                        body: Array("[\(documents.joined(separator: ","))]".utf8)
                    )
                }
            }
        },
        Attack(name: "pushes to one document") { field in
            try await field.write(documents: ["{\"_id\": 7, \"tags\": []}"])
            let values = (0..<field.share(10_000)).map { "\"tag\($0)\"" }.joined(separator: ",")
            let body = Array("{\"$push\": {\"tags\": {\"$each\": [\(values)]}}}".utf8)
            let request = try await field.request("PATCH", documents + "/7", body: body)
            return { await field.flood(4) { _ in request } }
        },
    ]

    // MARK: Accounts

    private static func logIn(_ name: String) -> [UInt8] {
        Array("{\"username\": \"\(name)\", \"password\": \"another long password\"}".utf8)
    }

    private static func address(_ number: Int) -> String { "198.51.\(number >> 8 & 0xFF).\(number & 0xFF)" }

    static let accounts: [Attack] = [
        Attack(name: "log-ins from one address") { field in
            return {
                await field.flood(60) { number in
                    try await field.request(
                        "POST",
                        userpass + "login",
                        body: logIn("u\(number)@example.org"),
                        user: nil
                    )
                }
            }
        },
        Attack(name: "log-ins from 1,000 addresses", attackers: 4) { field in
            return {
                await field.flood(60) { number in
                    try await field.request(
                        "POST",
                        userpass + "login",
                        body: logIn("u\(number)@example.org"),
                        user: nil,
                        address: address(number)
                    )
                }
            }
        },
        Attack(name: "registrations from 1,000 addresses", attackers: 4) { field in
            return {
                await field.flood(60) { number in
                    let body = "{\"email\": \"r\(number)@example.org\", \"password\": \"another long password\"}"
                    return try await field.request(
                        "POST",
                        userpass + "register",
                        body: Array(body.utf8),
                        user: nil,
                        address: address(number)
                    )
                }
            }
        },
        Attack(name: "requests for new passwords") { field in
            return {
                await field.flood(20) { number in
                    let body = Array("{\"email\": \"ann@example.org\"}".utf8)
                    return try await field.request(
                        "POST",
                        userpass + "reset/send",
                        body: body,
                        user: nil,
                        address: address(number)
                    )
                }
            }
        },
        Attack(name: "API keys that are made up") { field in
            return {
                await field.flood(20) { number in
                    let body = Array("{\"key\": \"\(Made.text(60).string)\(number)\"}".utf8)
                    return try await field.request(
                        "POST",
                        "/api/client/v2.0/app/docs/auth/providers/api-key/login",
                        body: body,
                        user: nil,
                        address: address(number)
                    )
                }
            }
        },
        Attack(name: "anonymous users by the thousand", attackers: 4) { field in
            return {
                await field.flood(20) { number in
                    try await field.request(
                        "POST",
                        "/api/client/v2.0/app/docs/auth/providers/anon-user/login",
                        body: Array("{}".utf8),
                        user: nil,
                        address: address(number)
                    )
                }
            }
        },
        Attack(name: "renewals with tokens that are made up") { field in
            let request = try await field.request("POST", "/api/client/v2.0/auth/session", user: "mallory")
            return { await field.flood(20) { _ in request } }
        },
        Attack(name: "API keys that are made and deleted") { field in
            let answer = try await field.ask(
                field.request(
                    "POST",
                    "/api/client/v2.0/app/docs/auth/providers/anon-user/login",
                    body: Array("{}".utf8),
                    user: nil
                )
            )
            let parts = answer.split(separator: "\"")
            guard let place = parts.firstIndex(of: "refresh_token"), place + 2 < parts.count else {
                throw HonestFailure(description: "no token: \(answer.prefix(200))")
            }
            let header = "Authorization: Bearer \(parts[place + 2])"
            return {
                await field.flood(10) { number in
                    let body = Array("{\"name\": \"key\(number)\"}".utf8)
                    return try await field.request(
                        "POST",
                        "/api/client/v2.0/auth/api_keys",
                        body: body,
                        user: nil,
                        headers: [header]
                    )
                }
            }
        },
    ]
}
