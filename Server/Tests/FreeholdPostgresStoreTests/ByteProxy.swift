#if PostgreSQL
    import Foundation
    import PostgresProcess
    import Synchronization

    #if canImport(Glibc)
        import Glibc
    #elseif canImport(Musl)
        import Musl
    #endif

    /// The calls of the system whose names methods of the proxy have, too.
    private enum Sockets {
        /// MSG_NOSIGNAL
        static let noSignal: Int32 = 0x4000

        static func next(_ listener: Int32) -> Int32 { accept(listener, nil, nil) }
        static func end(_ socket: Int32) { close(socket) }
    }

    /// A proxy between a store and the database that cuts connections after so many bytes, or damages bytes of answers.
    final class ByteProxy: Sendable {
        private struct State {
            /// The bytes that still pass, upwards and downwards, before the connection is cut.
            var up: Int?
            var down: Int?
            /// Bytes downwards, of which one is damaged.
            var damage: Int?
            var counts = (up: 0, down: 0)
        }

        let port: Int
        private let listener: Int32
        private let target: Int
        private let state = Mutex(State())

        init(to target: Int) throws {
            self.target = target
            listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
            var address = Self.address(0)
            var length = socklen_t(MemoryLayout<sockaddr_in>.size)
            let descriptor = listener
            let isListening = withUnsafeMutablePointer(to: &address) { address in
                address.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    bind(descriptor, $0, length) == 0 && listen(descriptor, 64) == 0
                        && getsockname(descriptor, $0, &length) == 0
                }
            }
            guard isListening else { throw PostgresServer.Failure(description: "The proxy can't listen.") }
            port = Int(UInt16(bigEndian: address.sin_port))
            Thread.detachNewThread { self.accept() }
        }

        func close() { shutdown(listener, Int32(SHUT_RDWR)) }

        /// Cuts the connection that carries the byte after so many.
        func arm(up: Int? = nil, down: Int? = nil, damage: Int? = nil) {
            state.withLock { $0 = State(up: up, down: down, damage: damage) }
        }

        /// The bytes that have passed since `arm`.
        var counts: (up: Int, down: Int) { state.withLock { $0.counts } }

        private static func address(_ port: Int) -> sockaddr_in {
            var address = sockaddr_in()
            address.sin_family = sa_family_t(AF_INET)
            address.sin_addr.s_addr = inet_addr("127.0.0.1")
            address.sin_port = UInt16(port).bigEndian
            return address
        }

        private func accept() {
            while true {
                let client = Sockets.next(listener)
                guard client >= 0 else { break }
                let server = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
                var address = Self.address(target)
                let isConnected = withUnsafePointer(to: &address) { address in
                    address.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                        connect(server, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
                    }
                }
                guard isConnected else {
                    Sockets.end(client)
                    Sockets.end(server)
                    continue
                }
                let pair = Pair(client: client, server: server)
                Thread.detachNewThread { self.relay(pair, isUp: true) }
                Thread.detachNewThread { self.relay(pair, isUp: false) }
            }
            Sockets.end(listener)
        }

        /// The sockets of a connection, which are closed when both directions have ended.
        private final class Pair: Sendable {
            let client: Int32
            let server: Int32

            init(client: Int32, server: Int32) { (self.client, self.server) = (client, server) }

            func cut() {
                shutdown(client, Int32(SHUT_RDWR))
                shutdown(server, Int32(SHUT_RDWR))
            }

            deinit {
                Sockets.end(client)
                Sockets.end(server)
            }
        }

        private func relay(_ pair: Pair, isUp: Bool) {
            let (from, to) = isUp ? (pair.client, pair.server) : (pair.server, pair.client)
            var buffer = [UInt8](repeating: 0, count: 1 << 16)
            while true {
                let count = recv(from, &buffer, buffer.count, 0)
                guard count > 0 else { break }
                let (passing, isCut) = state.withLock { pass(&buffer, count: count, isUp: isUp, &$0) }
                var sent = 0
                while sent < passing {
                    let step = buffer.withUnsafeBytes { bytes in
                        bytes.baseAddress.map { send(to, $0 + sent, passing - sent, Sockets.noSignal) }
                            ?? -1
                    }
                    guard step > 0 else { return pair.cut() }
                    sent += step
                }
                if isCut { break }
            }
            pair.cut()
        }

        private func pass(_ buffer: inout [UInt8], count: Int, isUp: Bool, _ state: inout State) -> (Int, Bool) {
            var passing = count
            if isUp {
                if let rest = state.up {
                    passing = min(count, rest)
                    state.up = rest - passing
                }
                state.counts.up += passing
            } else {
                if let rest = state.down {
                    passing = min(count, rest)
                    state.down = rest - passing
                }
                if let place = state.damage {
                    if place < passing { buffer[place] ^= UInt8.random(in: 1 ... .max) }
                    state.damage = place < passing ? nil : place - passing
                }
                state.counts.down += passing
            }
            return (passing, passing < count)
        }
    }
#endif
