import Testing

@testable import FreeholdCommand

/// Tests of the command that starts Studio.
struct StudioCommandTests {
    @Test func `The program is expected beside the command, then in the folders of PATH`() {
        expectEqual(
            StudioCommand.candidates("/usr/bin:relative::/opt/bin", own: "/home/ann/bin/freehold"),
            ["/home/ann/bin/freehold-studio", "/usr/bin/freehold-studio", "/opt/bin/freehold-studio"]
        )
        expectEqual(StudioCommand.candidates(nil, own: nil), [])
    }
}
