import Foundation
import NIOHTTP1
import ServerTestRandom
import Testing

@testable import FreeholdHTTP
@testable import FreeholdServer

/// Damaged tokens and requests. None ends the process, and no token with other contents is valid.
struct ParserFuzzTests {
    private static let count = ProcessInfo.processInfo.environment["FREEHOLD_SOAK"] == nil ? 1_500 : 1_000_000

    private static func damaged(_ text: String, _ pieces: [String], _ random: inout SeededRandom) -> String {
        var bytes = Array(text.utf8)
        for _ in 0..<1 + random.below(3) where !bytes.isEmpty {
            let place = random.below(bytes.count)
            switch random.below(7) {
            case 0: bytes[place] ^= 1 << UInt8(random.below(7))
            case 1: bytes.remove(at: place)
            case 2: bytes.insert(UInt8(32 + random.below(95)), at: place)
            case 3: bytes.removeSubrange(place...)
            case 4: bytes.swapAt(place, random.below(bytes.count))
            case 5: bytes.insert(contentsOf: pieces[random.below(pieces.count)].utf8, at: place)
            default:
                let piece = bytes[place..<min(place + 8, bytes.count)]
                bytes.insert(contentsOf: repeatElement(piece, count: 1 + random.below(50)).joined(), at: place)
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    @Test func `no damaged token is good for another user`() async throws {
        var random = SeededRandom(test: "ParserFuzzTests.tokens")
        let authenticator = try await JWTAuthenticator(
            [.secret(TestServer.secret)],
            ServerSettings.Tokens().expectations
        )
        let token = try await TestServer.token("ann")
        let parts = token.split(separator: ".").map(String.init)
        let pieces = parts + [".", "..", "=", "eyJhbGciOiJub25lIn0", "%00", "é", "-_+/"]
        let own = try await authenticator.identify(token)
        #expect(own?.user == "ann")
        var good = 0
        for _ in 0..<Self.count {
            let other = Self.damaged(token, pieces, &random)
            guard let identity = try? await authenticator.identify(other) else { continue }
            good += 1
            #expect(identity.user == "ann", "\(other)")
        }
        // Only the unused bits of the last letter of a part may differ in a valid token.
        print("ParserFuzzTests: \(Self.count) tokens, \(good) of them good")
        #expect(good < Self.count / 10 + 10)
    }

    @Test func `no damaged request ends the process`() {
        var random = SeededRandom(test: "ParserFuzzTests.requests")
        let paths = [
            "/api/data/v1/app/docs/Doc/1?query=name%20%3D%3D%201&limit=5&after=x&stream=a",
            "/api/data/v1/app/docs/$changes?class=Doc&after=token",
            "/api/client/v2.0/app/docs/auth/providers/anon-user/login",
            "/api/client/v2.0/auth/api_keys/5f0000000000000000000000/disable?link=true",
        ]
        let bodies = [
            #"{"username": "a", "password": "b", "options": {"device": {"deviceId": "x"}}}"#,
            #"[{"_id": {"$numberLong": "1"}, "d": {"$date": "2020-01-01T00:00:00Z"}, "x": [1, 2.5, null]}]"#,
        ]
        let pieces = [
            "%", "%ff", "%00", "?", "&", "=", "//", "/..", "{\"$oid\":", "[[[[", "\"", "\\u0000", "1e999", "é",
        ]
        let routes = ["app/{app}/{class}", "app/{app}/{class}/{key}", "app/{app}/$changes"].map { path in
            HTTPRoute(.POST, path, operation: path, statuses: [200]) { _ in HTTPAnswer(body: "") }
        }
        let none = HTTPAnswer(body: "")
        let group = HTTPGroup(
            root: DocumentRequest.root,
            bodyLimit: nil,
            routes: routes,
            tooLarge: none,
            noRoute: none,
            wrongMethod: none
        )
        var found = 0
        for index in 0..<Self.count {
            var head = HTTPRequestHead(
                version: .http1_1,
                method: .POST,
                uri: Self.damaged(paths[index % paths.count], pieces, &random)
            )
            head.headers.add(name: "Authorization", value: Self.damaged("Bearer abc.def.ghi", pieces, &random))
            head.headers.add(name: "If-Match", value: Self.damaged("\"17\"", pieces, &random))
            let body = Self.damaged(bodies[index % bodies.count], pieces, &random)
            var request = HTTPRequest(head: head, body: Array(body.utf8), address: "127.0.0.1")
            _ = try? AccountRequest(request).fields()
            let (route, parameters, _) = group.match(head.resolved)
            if route != nil { found += 1 }
            request.parameters = parameters
            if let document = try? DocumentRequest(request) {
                _ = try? document.value()
                _ = try? document.document()
                _ = try? document.number("limit", 1...10, default: 5)
            }
        }
        // Damaged requests that still have a route reach the parsers behind it.
        #expect(found > Self.count / 10)
    }
}
