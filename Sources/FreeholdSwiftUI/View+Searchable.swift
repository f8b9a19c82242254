#if canImport(SwiftUI) || SwiftUIShapes
    #if canImport(SwiftUI)
        public import SwiftUI
    #else
        public import SwiftUIShapes
    #endif
    public import Freehold

    // Each function is SwiftUI's `searchable` of the same form, and filters a collection by the text: it shows the objects
    // whose property contains the text.

    /// The results of a view that a search field can filter: those of ``ObservedResults`` and ``ObservedSectionedResults``.
    @preconcurrency @MainActor
    public protocol _SearchedResults {
        associatedtype ResultType: ObjectBase
        /// Shows the objects whose property contains a text, or all for an empty text.
        func _search(_ text: String, on keyPath: KeyPath<ResultType, String>)
    }

    extension View {
        private func show<Results: _SearchedResults>(
            _ collection: Results,
            where keyPath: KeyPath<Results.ResultType, String>,
            contains text: Binding<String>
        ) { collection._search(text.wrappedValue, on: keyPath) }

        public func searchable<Results: _SearchedResults>(
            text: Binding<String>,
            collection: Results,
            keyPath: KeyPath<Results.ResultType, String>,
            placement: SearchFieldPlacement = .automatic,
            prompt: Text? = nil
        ) -> some View {
            show(collection, where: keyPath, contains: text)
            return searchable(text: text, placement: placement, prompt: prompt)
        }

        public func searchable<Results: _SearchedResults>(
            text: Binding<String>,
            collection: Results,
            keyPath: KeyPath<Results.ResultType, String>,
            placement: SearchFieldPlacement = .automatic,
            prompt: LocalizedStringKey
        ) -> some View {
            show(collection, where: keyPath, contains: text)
            return searchable(text: text, placement: placement, prompt: prompt)
        }

        @_disfavoredOverload
        public func searchable<Results: _SearchedResults, S: StringProtocol>(
            text: Binding<String>,
            collection: Results,
            keyPath: KeyPath<Results.ResultType, String>,
            placement: SearchFieldPlacement = .automatic,
            prompt: S
        ) -> some View {
            show(collection, where: keyPath, contains: text)
            return searchable(text: text, placement: placement, prompt: prompt)
        }

        public func searchable<Results: _SearchedResults, S: View>(
            text: Binding<String>,
            collection: Results,
            keyPath: KeyPath<Results.ResultType, String>,
            placement: SearchFieldPlacement = .automatic,
            prompt: Text? = nil,
            @ViewBuilder suggestions: () -> S
        ) -> some View {
            show(collection, where: keyPath, contains: text)
            return searchable(text: text, placement: placement, prompt: prompt, suggestions: suggestions)
        }

        public func searchable<Results: _SearchedResults, S: View>(
            text: Binding<String>,
            collection: Results,
            keyPath: KeyPath<Results.ResultType, String>,
            placement: SearchFieldPlacement = .automatic,
            prompt: LocalizedStringKey,
            @ViewBuilder suggestions: () -> S
        ) -> some View {
            show(collection, where: keyPath, contains: text)
            return searchable(text: text, placement: placement, prompt: prompt, suggestions: suggestions)
        }

        @_disfavoredOverload
        public func searchable<Results: _SearchedResults, V: View, S: StringProtocol>(
            text: Binding<String>,
            collection: Results,
            keyPath: KeyPath<Results.ResultType, String>,
            placement: SearchFieldPlacement = .automatic,
            prompt: S,
            @ViewBuilder suggestions: () -> V
        ) -> some View {
            show(collection, where: keyPath, contains: text)
            return searchable(text: text, placement: placement, prompt: prompt, suggestions: suggestions)
        }
    }
#endif
