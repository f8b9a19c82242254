extension EncryptionKey {
    /// A copy of the bytes, for a reader of files of another format. It isn't overwritten when it is released.
    package var bytes: [UInt8] { withUnsafeBytes { Array($0) } }
}
