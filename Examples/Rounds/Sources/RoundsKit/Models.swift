import Freehold

/// A place that inspectors visit.
///
/// The key is the code on the door. Two devices that create a site with one code mean the same site.
final class Site: Object {
    @Persisted(primaryKey: true) var _id = ""
    @Persisted var name = ""
    @Persisted var district = ""
    /// Visits are counted with `increment`, so that the visits of two devices add up.
    @Persisted var visits = 0
    /// The last reading of the meter. The later of two readings counts.
    @Persisted var reading: Double?
    /// Notes of several devices are all kept.
    @Persisted var notes: List<Note>
}

final class Note: EmbeddedObject {
    @Persisted var text = ""
    @Persisted var author = ""
}

/// A defect at a site. The rules of the server let only its author change it.
final class Finding: Object {
    @Persisted(primaryKey: true) var _id: ObjectId
    @Persisted var site = ""
    @Persisted var district = ""
    @Persisted var author = ""
    @Persisted var text = ""
    @Persisted var isOpen = true
}

/// The values of a site.
public struct SiteInfo: Sendable, Equatable {
    public var code: String
    public var name: String
    public var district: String
    public var visits: Int
    public var reading: Double?
    public var notes: [String]

    init(_ site: Site) {
        code = site._id
        name = site.name
        district = site.district
        visits = site.visits
        reading = site.reading
        notes = site.notes.map { "\($0.text) (\($0.author))" }
    }
}

/// The values of a finding.
public struct FindingInfo: Sendable, Equatable {
    public var id: String
    public var site: String
    public var text: String
    public var isOpen: Bool
    public var isMine: Bool

    init(_ finding: Finding, user: String) {
        id = finding._id.stringValue
        site = finding.site
        text = finding.text
        isOpen = finding.isOpen
        isMine = finding.author == user
    }
}
