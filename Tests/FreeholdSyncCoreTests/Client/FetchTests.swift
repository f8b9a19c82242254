import Testing

@testable import FreeholdSyncCore

/// Requests for objects that are wrong or missing in a client's file.
struct FetchTests {
    @Test func `objects that an answer leaves in doubt are requested at once`() {
        var machine = ClientMachine(ClientConfiguration(app: "app", token: AccessToken("t")))
        var random = SeededRandom(seed: 1)
        let name = ObjectName("Thing", 1)
        machine.link = .ready
        machine.state.cursor = Cursor(epoch: 7, version: 1, hash: .empty)
        machine.requests = (0..<2).map { _ in
            ClientMachine.Request(generation: machine.generation, purpose: .other, bytes: 0)
        }
        let outcome = ClientEvent.stored(.acknowledged(upTo: 1, [], wanted: [name]))
        let fetch = ClientAction.send(.fetch(machine.configuration.session, [name]))
        expect(machine.handle(outcome, now: 0, random: &random).contains(fetch))
        // The request is outstanding.
        expect(!machine.handle(outcome, now: 0, random: &random).contains(fetch))
    }
}
