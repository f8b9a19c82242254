// Plain functions for the checks that tests make most often.
//
// Swift Testing's `#expect` is a macro: the compiler type-checks its argument, expands the macro, and type-checks the expansion.
// That is half of the time that the tests of this package take to compile. A function is type-checked once. A check that
// fails calls the macro, so that the output has the values that were compared.
//
// Each function has an overload without a comment, because the compiler makes a closure of each comment, also of a default one.
public import Testing

/// Records an issue if `condition` is false.
///
/// Use `expectEqual` for equality, since its output has both values.
public func expect(
    _ condition: Bool,
    fileID: StaticString = #fileID,
    filePath: StaticString = #filePath,
    line: Int = #line,
    column: Int = #column
) {
    if condition { return }
    #expect(condition, sourceLocation: SourceLocation(fileID, path: filePath, line: line, column: column))
}

/// Records an issue with a comment if `condition` is false.
public func expect(
    _ condition: Bool,
    _ comment: @autoclosure () -> Comment?,
    fileID: StaticString = #fileID,
    filePath: StaticString = #filePath,
    line: Int = #line,
    column: Int = #column
) {
    if condition { return }
    #expect(condition, comment(), sourceLocation: SourceLocation(fileID, path: filePath, line: line, column: column))
}

/// Records an issue at a place of the caller's choice if `condition` is false.
public func expect(
    _ condition: Bool,
    _ comment: @autoclosure () -> Comment? = nil,
    sourceLocation: SourceLocation
) {
    if condition { return }
    #expect(condition, comment(), sourceLocation: sourceLocation)
}

/// Records an issue with both values if they are not equal.
public func expectEqual<Value: Equatable>(
    _ first: Value,
    _ second: Value,
    fileID: StaticString = #fileID,
    filePath: StaticString = #filePath,
    line: Int = #line,
    column: Int = #column
) {
    if first == second { return }
    #expect(first == second, sourceLocation: SourceLocation(fileID, path: filePath, line: line, column: column))
}

/// Records an issue with both values and a comment if they are not equal.
public func expectEqual<Value: Equatable>(
    _ first: Value,
    _ second: Value,
    _ comment: @autoclosure () -> Comment?,
    fileID: StaticString = #fileID,
    filePath: StaticString = #filePath,
    line: Int = #line,
    column: Int = #column
) {
    if first == second { return }
    let place = SourceLocation(fileID, path: filePath, line: line, column: column)
    #expect(first == second, comment(), sourceLocation: place)
}

/// Records an issue with both values at a place of the caller's choice if they are not equal.
public func expectEqual<Value: Equatable>(
    _ first: Value,
    _ second: Value,
    _ comment: @autoclosure () -> Comment? = nil,
    sourceLocation: SourceLocation
) {
    if first == second { return }
    #expect(first == second, comment(), sourceLocation: sourceLocation)
}

/// Records an issue and throws if `condition` is false.
public func require(
    _ condition: Bool,
    _ comment: @autoclosure () -> Comment? = nil,
    fileID: StaticString = #fileID,
    filePath: StaticString = #filePath,
    line: Int = #line,
    column: Int = #column
) throws {
    if condition { return }
    let place = SourceLocation(fileID, path: filePath, line: line, column: column)
    try #require(condition, comment(), sourceLocation: place)
}

/// Returns the wrapped value. Records an issue and throws if there is none.
public func require<Value>(
    _ value: Value?,
    _ comment: @autoclosure () -> Comment? = nil,
    fileID: StaticString = #fileID,
    filePath: StaticString = #filePath,
    line: Int = #line,
    column: Int = #column
) throws -> Value {
    if let value { return value }
    let place = SourceLocation(fileID, path: filePath, line: line, column: column)
    return try #require(value, comment(), sourceLocation: place)
}

extension SourceLocation {
    fileprivate init(_ fileID: StaticString, path: StaticString, line: Int, column: Int) {
        self.init(fileID: fileID.description, filePath: path.description, line: line, column: column)
    }
}
