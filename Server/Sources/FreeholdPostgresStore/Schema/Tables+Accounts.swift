#if PostgreSQL
    extension Tables {
        /// Accounts and the configuration of apps. Times are microseconds since 1970.
        static let accounts = [
            """
            CREATE TABLE IF NOT EXISTS app(id text COLLATE "C" PRIMARY KEY, anonymous bool NOT NULL, email_password text NOT NULL,
                access text NOT NULL, created int8 NOT NULL, adopts bool NOT NULL, revision int8 NOT NULL)
            """,
            """
            CREATE TABLE IF NOT EXISTS app_document(app text COLLATE "C", kind text COLLATE "C", name text COLLATE "C",
                body text NOT NULL, PRIMARY KEY (app, kind, name))
            """,
            """
            CREATE TABLE IF NOT EXISTS app_user(id text COLLATE "C" PRIMARY KEY, app text COLLATE "C" NOT NULL,
                disabled bool NOT NULL, logged_in bool NOT NULL, custom_data text NOT NULL, created int8 NOT NULL)
                WITH (fillfactor = 80)
            """,
            "CREATE INDEX IF NOT EXISTS app_user_app ON app_user(app, id)",
            """
            CREATE TABLE IF NOT EXISTS identity(app text COLLATE "C", provider text COLLATE "C", name text COLLATE "C",
                usr text COLLATE "C" NOT NULL, id text COLLATE "C" NOT NULL, password text NOT NULL, confirmed bool NOT NULL,
                profile text NOT NULL, PRIMARY KEY (app, provider, name))
            """,
            "CREATE INDEX IF NOT EXISTS identity_usr ON identity(usr)",
            """
            CREATE TABLE IF NOT EXISTS login(id text COLLATE "C" PRIMARY KEY, usr text COLLATE "C" NOT NULL,
                app text COLLATE "C" NOT NULL, ended bool NOT NULL, stamp int8 NOT NULL, expires int8 NOT NULL, ended_at int8)
                WITH (fillfactor = 80)
            """,
            "CREATE INDEX IF NOT EXISTS login_usr ON login(usr)",
            "CREATE INDEX IF NOT EXISTS login_app ON login(app)",
            "CREATE INDEX IF NOT EXISTS login_ended ON login(ended_at) WHERE ended",
            """
            CREATE TABLE IF NOT EXISTS session(digest text COLLATE "C" PRIMARY KEY, login text COLLATE "C" NOT NULL,
                parent text COLLATE "C" NOT NULL, created int8 NOT NULL, expires int8 NOT NULL, replaced int8)
            """,
            "CREATE INDEX IF NOT EXISTS session_login ON session(login)",
            """
            CREATE TABLE IF NOT EXISTS api_key(id text COLLATE "C" PRIMARY KEY, usr text COLLATE "C" NOT NULL,
                app text COLLATE "C" NOT NULL, name text COLLATE "C" NOT NULL, digest text COLLATE "C" NOT NULL,
                disabled bool NOT NULL, UNIQUE (usr, name))
            """,
            "CREATE INDEX IF NOT EXISTS api_key_digest ON api_key(digest)",
            "CREATE INDEX IF NOT EXISTS api_key_app ON api_key(app)",
            """
            CREATE TABLE IF NOT EXISTS code(id text COLLATE "C" PRIMARY KEY, digest text COLLATE "C" NOT NULL,
                app text COLLATE "C" NOT NULL, name text COLLATE "C" NOT NULL, reset bool NOT NULL, expires int8 NOT NULL,
                UNIQUE (app, name, reset))
            """,
            """
            CREATE TABLE IF NOT EXISTS attempt(name bytea PRIMARY KEY, count int8 NOT NULL, until int8 NOT NULL)
                WITH (fillfactor = 70)
            """,
            """
            CREATE TABLE IF NOT EXISTS push(key text COLLATE "C" PRIMARY KEY, app text COLLATE "C" NOT NULL,
                usr text COLLATE "C" NOT NULL, login text COLLATE "C" NOT NULL, service text COLLATE "C" NOT NULL,
                token text NOT NULL, created int8 NOT NULL)
            """,
            "CREATE INDEX IF NOT EXISTS push_app ON push(app, usr)",
            "CREATE INDEX IF NOT EXISTS push_usr ON push(usr)",
            "CREATE INDEX IF NOT EXISTS push_login ON push(login)",
            "CREATE INDEX IF NOT EXISTS attempt_until ON attempt(until)",
            """
            CREATE TABLE IF NOT EXISTS change_note(at int8, id int8, app text COLLATE "C", kind text COLLATE "C",
                subject text COLLATE "C", PRIMARY KEY (at, id, app, kind, subject))
            """,
        ]
    }
#endif
