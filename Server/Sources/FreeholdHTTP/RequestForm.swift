import NIOHTTP1

extension HTTPRequestHead {
    /// The head with the path in place of an absolute target (`GET http://host/path`). The host of the target replaces the header `Host` (RFC
    /// 9112, 3.2.2). A target that can't be resolved isn't changed, and makes the request unreadable. Consecutive slashes in a path count as one.
    var resolved: HTTPRequestHead {
        guard !uri.hasPrefix("/") else {
            var head = self
            head.uri = uri.withSingleSlashes
            return head
        }
        let lowered = uri.prefix(8).lowercased()
        guard let scheme = ["http://", "https://"].first(where: lowered.hasPrefix) else { return self }
        let rest = uri.dropFirst(scheme.count)
        let authority = rest.prefix { $0 != "/" && $0 != "?" }
        guard Loopback.isAuthority(authority), headers["Host"].count <= 1 else { return self }
        let path = rest[authority.endIndex...]
        var head = self
        head.uri = (path.hasPrefix("/") ? String(path) : "/" + path).withSingleSlashes
        head.headers.replaceOrAdd(name: "Host", value: String(authority))
        return head
    }

    /// Returns a Boolean value that indicates whether the host, the target and the end of the body are unambiguous. If a server and a proxy
    /// interpreted a request differently, an attacker could hide a second request in it.
    ///
    /// - Parameter isHTTP2: A Boolean value that indicates whether frames determine the end of the body.
    func isReadable(isHTTP2: Bool) -> Bool {
        guard isHTTP2 || version.major == 1, uri.hasPrefix("/") || (uri == "*" && method == .OPTIONS) else {
            return false
        }
        let hosts = headers["Host"]
        let needsHost = !isHTTP2 && version.minor > 0
        guard hosts.count == 1 || (hosts.isEmpty && !needsHost) else { return false }
        guard hosts.allSatisfy({ $0.isEmpty || Loopback.isAuthority($0[...]) }) else { return false }
        let (lengths, codings) = (headers["Content-Length"], headers[canonicalForm: "Transfer-Encoding"])
        guard lengths.isEmpty || (codings.isEmpty && lengths.count == 1) else { return false }
        // The conversion from HTTP/2 to HTTP/1 adds `chunked` for a body without a length. A client of HTTP/2 can't send this header.
        guard !isHTTP2 else { return codings.isEmpty || codings == ["chunked"] }
        return codings.isEmpty || (version.minor > 0 && codings.count == 1 && codings[0].lowercased() == "chunked")
    }

    /// The bytes of the body, or `nil` if the head doesn't state them.
    var bodyLength: Int? { headers["Content-Length"].first.flatMap { Int($0) } }

    /// The value of the header `Expect`. The client waits for an answer before it sends a body.
    var expectation: String? {
        guard version.major > 1 || version.minor > 0 else { return nil }
        let said = headers["Expect"].joined(separator: ",").lowercased()
        return said.isEmpty ? nil : said
    }

    /// Returns a Boolean value that indicates whether the request has everything that an upgrade to a WebSocket needs.
    ///
    /// - Parameter path: The path of the WebSocket.
    func isForWebSocket(at path: String) -> Bool {
        func has(_ token: String, in name: String) -> Bool {
            headers[canonicalForm: name].contains { $0.lowercased() == token }
        }
        let hasBody =
            headers.contains(name: "Transfer-Encoding") || headers["Content-Length"].contains { UInt64($0) != 0 }
        return uri == path && method == .GET && !hasBody && has("websocket", in: "Upgrade")
            && has("upgrade", in: "Connection") && headers["Sec-WebSocket-Key"].count == 1
            && headers["Sec-WebSocket-Version"] == ["13"] && isReadable(isHTTP2: false)
    }

    /// Removes the headers that request another protocol, so that the answer is sent in HTTP/1.1.
    mutating func removeUpgrade() {
        let rest = headers[canonicalForm: "Connection"].filter {
            !["upgrade", "http2-settings"].contains($0.lowercased())
        }
        for name in ["Upgrade", "HTTP2-Settings", "Connection"] { headers.remove(name: name) }
        if !rest.isEmpty { headers.add(name: "Connection", value: rest.joined(separator: ", ")) }
    }
}
