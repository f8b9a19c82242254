import Foundation
import Testing

@testable import FreeholdStudioServer

/// The security rules of Studio, each with requests that break it.
///
/// The time limit ends a test that waits for a missing answer.
@Suite(.timeLimit(.minutes(3)))
struct StudioSecurityTests {
    @Test func `Rule 1: only the loopback address is open`() async throws {
        let process = try await StudioProcess()
        #expect(try await process.ask("GET /").status == 200)
        for host in ["127.0.0.2", "::1"] {
            await #expect(throws: (any Error).self) { try await RawConnection(host: host, port: process.server.port) }
        }
        await process.end()
    }

    @Test func `Rule 2: the host is an address of this machine`() async throws {
        let process = try await StudioProcess()
        for host in ["localhost:\(process.server.port)", "LOCALHOST", "127.0.0.1:1", "[::1]:9000", "127.9.9.9"] {
            #expect(try await process.ask("GET /", host: host).status == 200, "\(host)")
        }
        let foreign = [
            "evil.example", "localhost.evil.example", "127.0.0.1.evil.example", "10.0.0.1", "0.0.0.0", "[2001:db8::1]",
            "evil@localhost",
            "localhost:80:80", "",
        ]
        for host in foreign {
            let answer = try await process.ask("GET /", host: host)
            #expect(answer.status == 403 || answer.status == 400, "\(host): \(answer.status)")
            #expect(!answer.text.contains("Freehold Studio"))
            let (socket, status) = try await RawSocket.open(process, origin: process.origin, host: host)
            #expect(socket == nil && status != 101, "\(host): \(status)")
        }
        let two = try await RawConnection.ask(
            ["GET / HTTP/1.1", "Host: localhost", "Host: evil.example"],
            port: process.server.port
        )
        #expect(two.status == 400 || two.status == 403)
        await process.end()
    }

    @Test func `Rule 3: other origins can't open the socket, upload, or read`() async throws {
        let process = try await StudioProcess(writes: true)
        let foreign = [
            "http://evil.example", "null", "https://127.0.0.1:\(process.server.port)",
            "http://localhost:\(process.server.port)",
            "http://127.0.0.1:\(process.server.port)0", "http://127.0.0.1", "http://127.0.0.1:\(process.server.port)/",
            "http://127.0.0.1:\(process.server.port).evil.example", "",
        ]
        for origin in foreign {
            let (socket, status) = try await RawSocket.open(process, origin: origin)
            #expect(socket == nil, "\(origin)")
            #expect(status == 403, "\(origin)")
            let upload = try await process.ask("PUT /upload/0123", ["Origin: \(origin)"], body: "x")
            #expect(upload.status == 403, "\(origin)")
            #expect(try await process.ask("GET /", ["Origin: \(origin)"]).status == 403, "\(origin)")
        }
        #expect(try await RawSocket.open(process, origin: nil).status == 403)
        #expect(try await process.ask("PUT /upload/0123", body: "x").status == 403)
        // With the right origin, only the ticket is missing.
        #expect(try await process.ask("PUT /upload/0123", ["Origin: \(process.origin)"], body: "x").status == 404)
        let (socket, _) = try await RawSocket.open(process, origin: process.origin)
        #expect(socket != nil)
        await socket?.close()
        await process.end()
    }

    @Test func `Rule 4: without the key nothing is answered, and wrong keys are delayed and reported`() async throws {
        let process = try await StudioProcess()
        let right = process.server.key.text
        let wrong = [
            "{\"hello\":\"\",\"protocol\":1}", "{\"hello\":\"\(right.dropLast())\",\"protocol\":1}",
            "{\"hello\":\"\(right)0\",\"protocol\":1}", "{\"id\":1,\"do\":\"files\"}", "x",
            "{\"hello\":\"\(right.uppercased())x\",\"protocol\":1}",
        ]
        for message in wrong {
            let socket = try #require(try await RawSocket.open(process, origin: process.origin).socket)
            await socket.send(message)
            await socket.send("{\"id\":2,\"do\":\"files\"}")
            let text = await socket.rest()
            #expect(text.contains("\"refused\""), "\(message)")
            #expect(!text.contains("app.realm") && !text.contains("\"id\""), "\(message)")
        }
        #expect(process.reported.count == 1)
        #expect(process.reported.allSatisfy { !$0.contains(right) })
        let start = ContinuousClock.now
        let socket = try #require(try await RawSocket.open(process, origin: process.origin).socket)
        await socket.send(process.hello)
        #expect(await socket.reads("\"welcome\""))
        #expect(ContinuousClock.now - start > .milliseconds(900))
        await socket.close()
        await process.end()
    }

    @Test func `Rule 4: a page of another version is refused after its key was examined`() async throws {
        let process = try await StudioProcess()
        let socket = try #require(try await RawSocket.open(process, origin: process.origin).socket)
        await socket.send("{\"hello\":\"\(process.server.key.text)\",\"protocol\":2}")
        #expect(await socket.rest().contains("\"protocol\""))
        await process.end()
    }

    @Test func `Rules 5 and 6: each answer has the policy, and neither cookies, redirects nor permissions for others`()
        async throws
    {
        let process = try await StudioProcess()
        for path in ["/", "/nothing", "/download/0123", "/socket"] {
            let answer = try await process.ask("GET \(path)", ["Access-Control-Request-Method: GET"])
            let head = answer.text.lowercased()
            #expect(answer.status == 200 || answer.status == 404, "\(path): \(answer.status)")
            for forbidden in ["set-cookie", "access-control-", "location:", process.server.key.text] {
                #expect(!head.contains(forbidden), "\(path): \(forbidden)")
            }
            for needed in [
                "content-security-policy: default-src 'none'; script-src 'self'; style-src 'self'",
                "require-trusted-types-for 'script'",
                "connect-src 'self' ws://\(process.host)", "referrer-policy: no-referrer",
                "cross-origin-opener-policy: same-origin",
                "cross-origin-resource-policy: same-origin", "x-content-type-options: nosniff",
                "cache-control: no-store",
            ] { #expect(head.contains(needed), "\(path): \(needed)") }
            #expect(!head.contains("unsafe-inline"))
        }
        let options = try await process.ask(
            "OPTIONS /",
            ["Origin: \(process.origin)", "Access-Control-Request-Method: PUT"]
        )
        #expect(!options.text.lowercased().contains("access-control-"))
        await process.end()
    }

    @Test func `Rule 9: a path outside of the page has no answer`() async throws {
        let process = try await StudioProcess()
        for path in [
            "/../../etc/passwd", "/%2e%2e/%2e%2e/etc/passwd", "/etc/passwd", "/js/../../app.realm", "/app.realm",
            "/index.html%00.js",
            "/download/../../etc/passwd", "/download/", "/upload/", "//etc/passwd", "/.git/config", "/_/..%2fapp.realm",
        ] {
            let answer = try await process.ask("GET \(path)")
            #expect([400, 403, 404].contains(answer.status), "\(path): \(answer.status)")
            #expect(!answer.text.contains("root:"))
        }
        for method in ["POST", "DELETE", "PUT", "PATCH"] {
            #expect(try await process.ask("\(method) /").status == 404, "\(method)")
        }
        await process.end()
    }

    @Test func `Rule 10: without --write, no request changes a byte of the file`() async throws {
        let process = try await StudioProcess()
        let before = try Data(contentsOf: URL(fileURLWithPath: process.path))
        let socket = try #require(try await RawSocket.open(process, origin: process.origin).socket)
        await socket.send(process.hello)
        await socket.send(#"{"id":1,"do":"openFile","file":"f1"}"#)
        #expect(await socket.reads(#""id":1,"ok""#))
        let requests = [
            #""do":"stage","edits":[{"set":{"class":"Secret","key":0,"property":"text","value":"x"}}]"#,
            #""do":"write""#,
            #""do":"undo","version":1"#, #""do":"migrate","steps":[{"removeClass":{"class":"Secret"}}]"#,
            #""do":"compact""#,
            #""do":"importRun","import":1,"class":"Secret""#, #""do":"check""#, #""do":"import","format":"json""#,
        ]
        for (i, request) in requests.enumerated() {
            await socket.send("{\"id\":\(i + 10),\(request)}")
            #expect(await socket.reads("\"id\":\(i + 10),\"error\":{\"code\":\"readOnly\""), "\(request)")
        }
        await socket.send(#"{"id":90,"do":"verify"}"#)
        #expect(await socket.reads(#""id":90,"ok""#))
        #expect(try Data(contentsOf: URL(fileURLWithPath: process.path)) == before)
        await socket.close()
        await process.end()
    }

    @Test func `Rule 11: oversized and broken messages end the connection, not the program`() async throws {
        let process = try await StudioProcess()
        func open(greets: Bool) async throws -> RawSocket {
            let socket = try #require(try await RawSocket.open(process, origin: process.origin).socket)
            if greets {
                await socket.send(process.hello)
                #expect(await socket.reads("\"welcome\""))
            }
            return socket
        }
        // Before the key, a message is short.
        let early = try await open(greets: false)
        await early.send(frame: 0x81, [UInt8](repeating: 0x20, count: 2_000))
        #expect(!(await early.rest()).contains("welcome"))
        let large = try await open(greets: true)
        await large.send(frame: 0x81, [UInt8](repeating: 0x20, count: (4 << 20) + 1))
        _ = await large.rest()
        let pieces = try await open(greets: true)
        await pieces.send(frame: 0x01, [UInt8](repeating: 0x20, count: 3 << 20))
        await pieces.send(frame: 0x80, [UInt8](repeating: 0x20, count: 2 << 20))
        _ = await pieces.rest()
        for (first, masked) in [(0x81 as UInt8, false), (0x82, true), (0x80, true), (0xF1, true)] {
            let broken = try await open(greets: true)
            await broken.send(frame: first, Array("{}".utf8), isMasked: masked)
            _ = await broken.rest()
        }
        // A long message below the limit is answered.
        let fine = try await open(greets: true)
        await fine.send("{\"id\":5,\"do\":\"\(String(repeating: "x", count: 1 << 20))\"}")
        #expect(await fine.reads("\"code\":\"unknown\""))
        await fine.send("{\"id\":6,")
        #expect(await fine.reads("\"code\":\"invalid\""))
        await fine.send("{\"id\":7,\"do\":\"files\"}")
        #expect(await fine.reads("\"id\":7,\"ok\""))
        await fine.close()
        await process.end()
    }

    @Test func `Rule 11: a socket without a hello ends after two seconds`() async throws {
        let process = try await StudioProcess(greetingTime: .seconds(2))
        let socket = try #require(try await RawSocket.open(process, origin: process.origin).socket)
        #expect(await socket.rest().contains("\"late\""))
        await process.end()
    }

    @Test func `Rule 11: the seventeenth page is refused`() async throws {
        let process = try await StudioProcess()
        var sockets: [RawSocket] = []
        for _ in 0..<StudioServer.mostConnections {
            let socket = try #require(try await RawSocket.open(process, origin: process.origin).socket)
            await socket.send(process.hello)
            #expect(await socket.reads("\"welcome\""))
            sockets.append(socket)
        }
        let more = try #require(try await RawSocket.open(process, origin: process.origin).socket)
        await more.send(process.hello)
        #expect(await more.rest().contains("\"full\""))
        for socket in sockets { await socket.close() }
        await process.end()
    }

    @Test func `Pages receive a close frame with the code 1001 when the program ends`() async throws {
        let process = try await StudioProcess()
        var sockets: [RawSocket] = []
        for _ in 0..<3 {
            let socket = try #require(try await RawSocket.open(process, origin: process.origin).socket)
            await socket.send(process.hello)
            #expect(await socket.reads("\"welcome\""))
            sockets.append(socket)
        }
        async let end: Void = process.end()
        for socket in sockets {
            // The bytes of the code aren't text, except the first one.
            #expect(await socket.rest().hasSuffix("\u{FFFD}\u{2}\u{3}\u{FFFD}"))
        }
        await end
    }

    @Test func `Rule 12: values are in no line of the terminal`() async throws {
        let process = try await StudioProcess()
        let socket = try #require(try await RawSocket.open(process, origin: process.origin).socket)
        await socket.send(process.hello)
        await socket.send(#"{"id":1,"do":"openFile","file":"f1"}"#)
        #expect(await socket.reads(#""id":1,"ok""#))
        await socket.send(#"{"id":2,"do":"object","class":"Secret","key":0}"#)
        #expect(await socket.reads("the stored secret"))
        await socket.send(#"{"id":3,"do":"open","class":"Secret","query":"text == 'the stored secret' &&"}"#)
        #expect(await socket.reads(#""id":3,"error""#))
        #expect(process.reported == [])
        await socket.close()
        await process.end()
    }

    @Test func `Downloads are attachments in a sandbox, and valid once`() async throws {
        let process = try await StudioProcess()
        let socket = try #require(try await RawSocket.open(process, origin: process.origin).socket)
        await socket.send(process.hello)
        await socket.send(#"{"id":1,"do":"openFile","file":"f1"}"#)
        #expect(await socket.reads(#""id":1,"ok""#))
        await socket.send(#"{"id":2,"do":"export","class":"Secret","format":"json"}"#)
        #expect(await socket.reads(#""id":2,"ok":{"ticket":""#))
        let ticket = socket.text.components(separatedBy: "\"ticket\":\"")[1].prefix { $0 != "\"" }
        #expect(ticket.count == 32)
        #expect(await socket.reads(#""name":"app-Secret.json""#))
        let answer = try await process.ask("GET /download/\(ticket)")
        #expect(answer.status == 200)
        let head = answer.text.lowercased()
        #expect(head.contains("content-disposition: attachment; filename=\"app-secret.json\""))
        #expect(head.contains("content-security-policy: sandbox"))
        #expect(answer.text.contains("the stored secret"))
        #expect(try await process.ask("GET /download/\(ticket)").status == 404)
        await socket.close()
        await process.end()
    }

    @Test func `Each file of the page is embedded, and has an address that changes with the content`() async throws {
        let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent(
            "../../../Sources/StudioPage/Page"
        ).standardizedFileURL
        let found = FileManager.default.enumerator(atPath: folder.path)?.compactMap { $0 as? String } ?? []
        let files = found.filter { ["html", "js", "css", "svg"].contains(($0 as NSString).pathExtension) }
        let embedded = PageFiles.embedded
        #expect(Set(embedded.map(\.name)) == Set(files))
        for file in embedded {
            let expected = try Data(contentsOf: folder.appendingPathComponent(file.name))
            #expect(Data(file.bytes) == expected, "\(file.name)")
        }
        let process = try await StudioProcess()
        let index = try await process.ask("GET /")
        #expect(!index.text.contains("/_/"))
        for file in embedded where file.name != "index.html" {
            #expect(try await process.ask("GET /\(file.name)").status == 200, "\(file.name)")
        }
        await process.end()
    }
}
