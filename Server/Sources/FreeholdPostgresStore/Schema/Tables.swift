#if PostgreSQL
    /// The statements that create the tables, as steps from one format to the next. `store.format` contains the number of the last executed step.
    ///
    /// Each statement can be executed again without an effect, because some databases commit each of these statements separately.
    enum Tables {
        /// The format that this code reads and writes.
        static var format: Int { steps.count }

        static let steps: [[String]] = [first, second, third, sql, accounts, inboxOrder]

        /// The table with the format and the epoch of new streams.
        static let store = """
            CREATE TABLE IF NOT EXISTS store(one bool PRIMARY KEY, format int4 NOT NULL, epoch int8 NOT NULL,
                timeline int8 NOT NULL DEFAULT 0, secret_mark bytea, CHECK (one))
            """

        /// The column for the state of a front end, which serves clients of another protocol.
        private static let third = ["ALTER TABLE client_file ADD COLUMN IF NOT EXISTS front bytea"]

        /// The table of the claims of servers to deliver the objects of a class in a stream to a sink. `record` has the record of the delivered
        /// objects.
        private static let second = [
            """
            CREATE TABLE IF NOT EXISTS sink_lane(sid int8, class text COLLATE "C", owner int8 NOT NULL,
                claimed_until int8 NOT NULL, record bytea, PRIMARY KEY (sid, class)) WITH (fillfactor = 50)
            """
        ]

        private static let first = [
            """
            CREATE TABLE IF NOT EXISTS stream(sid int8 PRIMARY KEY, app text NOT NULL, name bytea NOT NULL,
                last_ident int8 NOT NULL, UNIQUE (app, name))
            """,
            """
            CREATE TABLE IF NOT EXISTS stream_head(sid int8 PRIMARY KEY, epoch int8 NOT NULL, term int8 NOT NULL, holder text,
                version int8 NOT NULL, hash uuid NOT NULL, clock int8 NOT NULL, now int8 NOT NULL, horizon int8 NOT NULL,
                log_start int8 NOT NULL) WITH (fillfactor = 50)
            """,
            """
            CREATE TABLE IF NOT EXISTS commit_mark(sid int8, version int8, hash uuid NOT NULL, clock int8 NOT NULL,
                at int8 NOT NULL, PRIMARY KEY (sid, version))
            """,
            """
            CREATE TABLE IF NOT EXISTS commit_answer(sid int8, ident int8, number int8, version int8 NOT NULL,
                clock int8 NOT NULL, hash uuid NOT NULL, refusals bytea, PRIMARY KEY (sid, ident, number))
            """,
            """
            CREATE TABLE IF NOT EXISTS commit_log(sid int8, version int8, body bytea NOT NULL, PRIMARY KEY (sid, version))
            """,
            """
            CREATE TABLE IF NOT EXISTS object(sid int8, class text COLLATE "C", key bytea, version int8 NOT NULL,
                born int8 NOT NULL, dead bool NOT NULL, doc bytea NOT NULL, meta bytea NOT NULL, json jsonb,
                PRIMARY KEY (sid, class, key)) WITH (fillfactor = 80, autovacuum_vacuum_scale_factor = 0.05,
                toast.autovacuum_vacuum_scale_factor = 0.05)
            """,
            "CREATE INDEX IF NOT EXISTS object_dead ON object(sid, version) WHERE dead",
            """
            CREATE TABLE IF NOT EXISTS client_file(sid int8, ident int8, usr text NOT NULL, secret bytea NOT NULL,
                parents bytea, last int8 NOT NULL, hash uuid NOT NULL, clock int8 NOT NULL, least_base int8,
                acknowledged int8, seen_at int8 NOT NULL, subscribed bytea, pending bytea,
                classes text[] NOT NULL, PRIMARY KEY (sid, ident)) WITH (fillfactor = 70,
                autovacuum_vacuum_scale_factor = 0.05, toast.autovacuum_vacuum_scale_factor = 0.05)
            """,
            "CREATE INDEX IF NOT EXISTS client_file_base ON client_file(sid, least_base) WHERE least_base IS NOT NULL",
            "CREATE UNIQUE INDEX IF NOT EXISTS client_file_writer ON client_file(sid, secret) WHERE usr = ''",
            "CREATE INDEX IF NOT EXISTS client_file_copies ON client_file(sid, ident) WHERE parents IS NOT NULL",
            """
            CREATE TABLE IF NOT EXISTS commit_part(sid int8, ident int8, number int8, part int8, body bytea NOT NULL,
                PRIMARY KEY (sid, ident, number, part))
            """,
            """
            CREATE TABLE IF NOT EXISTS incoming(sid int8, ident int8, number int8 NOT NULL, hash uuid NOT NULL,
                count int8 NOT NULL, received int8 NOT NULL, at int8 NOT NULL, PRIMARY KEY (sid, ident))
            """,
            """
            CREATE TABLE IF NOT EXISTS incoming_part(sid int8, ident int8, start int8, body bytea NOT NULL,
                PRIMARY KEY (sid, ident, start))
            """,
            """
            CREATE TABLE IF NOT EXISTS ingest(sid int8, class text COLLATE "C", key bytea, version int8 NOT NULL,
                seq int8 NOT NULL, doc bytea NOT NULL, meta bytea NOT NULL, PRIMARY KEY (sid, class, key))
            """,
            "CREATE INDEX IF NOT EXISTS ingest_order ON ingest(sid, class, version, seq)",
            """
            CREATE TABLE IF NOT EXISTS user_bytes(sid int8, usr text, bytes int8 NOT NULL, PRIMARY KEY (sid, usr))
            """,
        ]
    }
#endif
