#if canImport(SwiftUI) || SwiftUIShapes
    import Foundation
    #if canImport(SwiftUI)
        import Combine
        import SwiftUI
    #else
        import SwiftUIShapes
    #endif
    import Freehold
    import FreeholdCombine

    /// The filters and the order that a view has chosen at run time. They remain when SwiftUI creates the view again.
    final class QueryChoices<Element: RealmCollectionValue> {
        /// A filter in one of its two forms. The last assigned form applies.
        enum Filter {
            case predicate(NSPredicate?)
            case closure(((Query<Element>) -> Query<Bool>)?)
        }

        var filter: Filter?
        var sortDescriptors: [Freehold.SortDescriptor]?
        var search: ((Results<Element>) -> Results<Element>)?
        var searchText = ""
        /// The number of changes, by which a storage finds out that its results are out of date.
        private(set) var changes = 0

        func didChange() { changes += 1 }
    }

    /// A publisher that the main queue uses.
    private struct WillChange: @unchecked Sendable {
        let publisher: ObservableObjectPublisher
    }

    /// The results of a view: the realm, the query, the observation, and the frozen state that the view shows.
    final class QueryStorage<Element: RealmFetchable & KeypathSortable>: ObservableObject {
        let objectWillChange = ObservableObjectPublisher()

        /// The configuration of the declaration. If it is `nil`, that of the environment is used.
        private let declared: Realm.Configuration?
        private let declaredFilter: QueryChoices<Element>.Filter
        private let declaredSortDescriptors: [Freehold.SortDescriptor]
        private let keyPaths: [String]?
        private let isSorted: Bool

        private var environment: Realm.Configuration?
        private var choices = QueryChoices<Element>()
        private var seenChanges = 0
        private var live: Results<Element>?
        private var token: NotificationToken?
        private var shown: Results<Element>?

        /// - Parameter isSorted: A Boolean value that indicates whether the results are sorted. Sections sort them.
        init(
            _ configuration: Realm.Configuration?,
            filter: QueryChoices<Element>.Filter,
            sortDescriptors: [Freehold.SortDescriptor],
            keyPaths: [String]?,
            isSorted: Bool = true
        ) {
            declared = configuration
            declaredFilter = filter
            declaredSortDescriptors = sortDescriptors
            self.keyPaths = keyPaths
            self.isSorted = isSorted
        }

        /// Takes the environment and the choices of the view, and returns the storage.
        func prepared(_ environment: Realm.Configuration, _ choices: QueryChoices<Element>) -> Self {
            if declared == nil, self.environment != environment { live = nil }
            if self.choices !== choices { live = nil }
            (self.environment, self.choices) = (environment, choices)
            return self
        }

        private var filter: QueryChoices<Element>.Filter { choices.filter ?? declaredFilter }

        /// The filter, if it is a predicate.
        var predicate: NSPredicate? {
            get { if case .predicate(let predicate) = filter { predicate } else { nil } }
            set { choose { $0.filter = .predicate(newValue) } }
        }

        /// The filter, if it is a closure.
        var closure: ((Query<Element>) -> Query<Bool>)? {
            get { if case .closure(let closure) = filter { closure } else { nil } }
            set { choose { $0.filter = .closure(newValue) } }
        }

        var sortDescriptors: [Freehold.SortDescriptor] {
            get { choices.sortDescriptors ?? declaredSortDescriptors }
            set { choose { $0.sortDescriptors = newValue } }
        }

        /// Changes the choices, and evaluates the view again.
        private func choose(_ change: (QueryChoices<Element>) -> Void) {
            change(choices)
            choices.didChange()
            objectWillChange.send()
        }

        /// Shows the elements whose property contains a text, or all for an empty text.
        ///
        /// A view calls this method during its evaluation, in which it may have shown the results already. So it is
        /// evaluated again afterwards.
        func search(_ text: String, on keyPath: KeyPath<Element, String>) {
            if choices.searchText == text { return }
            choices.searchText = text
            choices.search =
                text.isEmpty ? nil : { results in results.where { $0[dynamicMember: keyPath].contains(text) } }
            choices.didChange()
            let publisher = WillChange(publisher: objectWillChange)
            DispatchQueue.main.async { publisher.publisher.send() }
        }

        /// The live results, observed.
        private var current: Results<Element> {
            if let live, seenChanges == choices.changes, !live.isInvalidated { return live }
            seenChanges = choices.changes
            let results = query()
            (live, shown) = (results, nil)
            // An observation can't begin inside a write transaction with changes. The next evaluation begins it.
            token = nil
            observe(results)
            return results
        }

        private func observe(_ results: Results<Element>) {
            guard token == nil, let realm = results.realm, realm._isObservable, !realm.isInWriteTransaction else {
                return
            }
            token = results.observe(keyPaths: keyPaths) { [weak self] change in self?.take(change) }
        }

        private func query() -> Results<Element> {
            let configuration = declared ?? environment ?? .defaultConfiguration
            let realm: Realm
            do { realm = try Realm(configuration: configuration) } catch {
                fatalError("The realm of a view couldn't be opened: \(error). Open it with Realm.asyncOpen first.")
            }
            var results = realm.objects(Element.self)
            if isSorted, !sortDescriptors.isEmpty { results = results.sorted(by: sortDescriptors) }
            switch filter {
            case .predicate(let predicate?): results = results.filter(predicate)
            case .closure(let closure?): results = results.where(closure)
            default: break
            }
            return choices.search?(results) ?? results
        }

        private func take(_ change: RealmCollectionChange<Results<Element>>) {
            // The view shows the present state already, unless a change was made before the observation began.
            if case .initial = change, let shown, shown.realm == live?.realm?.freeze() { return }
            // The view shows another version from now on.
            shown = nil
            objectWillChange.send()
        }

        /// The frozen results that the view shows.
        var frozen: Results<Element> {
            let current = current
            observe(current)
            if let shown, shown.realm == current.realm?.freeze() { return shown }
            let frozen = current.freeze()
            shown = frozen
            return frozen
        }
    }
#endif
