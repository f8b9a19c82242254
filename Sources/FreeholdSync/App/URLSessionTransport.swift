#if !Sync
    import Foundation
    import Synchronization

    #if canImport(FoundationNetworking)
        import FoundationNetworking
    #endif

    /// A transport that uses Foundation's `URLSession`, for programs without the trait Sync.
    ///
    /// Redirections aren't followed, because they could send tokens to another server. Cookies and answers aren't
    /// stored. The size of the body is checked while the body arrives.
    final class URLSessionTransport: NSObject, RLMNetworkTransport, URLSessionDataDelegate, @unchecked Sendable {
        // It is set once, by `init`.
        private var session: URLSession!
        private let limits: AnswerLimits
        private let exchanges = Mutex<[Int: Exchange]>([:])

        /// A request whose answer isn't complete yet.
        private struct Exchange: Sendable {
            let completion: @Sendable (RLMResponse) -> Void
            var body = Data()
        }

        init(limits: AnswerLimits = AnswerLimits()) {
            self.limits = limits
            super.init()
            let configuration = URLSessionConfiguration.ephemeral
            configuration.httpShouldSetCookies = false
            configuration.urlCache = nil
            session = URLSession(configuration: configuration, delegate: self, delegateQueue: nil)
        }

        func sendRequestToServer(_ request: RLMRequest, completion: @escaping @Sendable (RLMResponse) -> Void) {
            guard let url = URL(string: request.url) else {
                return completion(RLMResponse(failure: "The address isn't a URL."))
            }
            var sent = URLRequest(url: url, timeoutInterval: request.timeout)
            sent.httpMethod = request.method.rawValue
            let headers = AnswerLimits.headers.merging(request.headers) { $1 }
            for (name, value) in headers { sent.setValue(value, forHTTPHeaderField: name) }
            if request.method != .GET, !request.body.isEmpty { sent.httpBody = Data(request.body.utf8) }
            let task = session.dataTask(with: sent)
            exchanges.withLock { $0[task.taskIdentifier] = Exchange(completion: completion) }
            task.resume()
        }

        private func end(_ task: URLSessionTask, _ answer: (Data) -> RLMResponse) {
            guard let exchange = exchanges.withLock({ $0.removeValue(forKey: task.taskIdentifier) }) else { return }
            exchange.completion(answer(exchange.body))
        }

        func urlSession(
            _ session: URLSession,
            dataTask: URLSessionDataTask,
            didReceive response: URLResponse,
            completionHandler: @escaping (URLSession.ResponseDisposition) -> Void
        ) {
            let encoding = (response as? HTTPURLResponse)?.value(forHTTPHeaderField: "Content-Encoding")
            guard AnswerLimits.isPlain(encoding) else {
                completionHandler(.cancel)
                dataTask.cancel()
                return end(dataTask) { _ in RLMResponse(failure: AnswerLimits.notAsked) }
            }
            completionHandler(.allow)
        }

        func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
            let isTooLong = exchanges.withLock { exchanges in
                guard let known = exchanges[dataTask.taskIdentifier] else { return true }
                guard known.body.count + data.count <= limits.bodyBytes else { return true }
                exchanges[dataTask.taskIdentifier]?.body.append(data)
                return false
            }
            guard isTooLong else { return }
            dataTask.cancel()
            end(dataTask) { _ in RLMResponse(failure: AnswerLimits.tooLong) }
        }

        func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
            end(task) { body in
                guard error == nil, let response = task.response as? HTTPURLResponse else {
                    return RLMResponse(failure: error.map { $0.localizedDescription } ?? "There was no answer.")
                }
                var headers: [String: String] = [:]
                for (name, value) in response.allHeaderFields { headers["\(name)"] = "\(value)" }
                return RLMResponse(
                    httpStatusCode: response.statusCode,
                    headers: headers,
                    body: String(decoding: body, as: UTF8.self)
                )
            }
        }

        func urlSession(
            _ session: URLSession,
            task: URLSessionTask,
            willPerformHTTPRedirection response: HTTPURLResponse,
            newRequest request: URLRequest,
            completionHandler: @escaping (URLRequest?) -> Void
        ) { completionHandler(nil) }
    }
#endif
