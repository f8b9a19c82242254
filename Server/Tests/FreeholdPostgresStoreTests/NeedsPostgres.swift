#if PostgreSQL
    import Testing

    import PostgresProcess

    extension Trait where Self == ConditionTrait {
        /// The test needs PostgreSQL.
        static var needsPostgres: Self {
            .enabled(if: PostgresServer.isThere, "PostgreSQL isn't installed")
        }
    }
#endif
