import Testing

@testable import RealmSwift
