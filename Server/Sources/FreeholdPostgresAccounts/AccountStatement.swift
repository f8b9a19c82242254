#if PostgreSQL
    package import FreeholdPostgresStore

    /// The statements of accounts and configuration.
    ///
    /// Transactions lock rows in one order: the user, then log-ins, then all other rows. The row of a log-in has a random `stamp`, which each change
    /// of its tokens replaces. A transaction that has read the tokens and then changes them requires the stamp that it has read. Its change fails if
    /// another transaction has changed the tokens meanwhile.
    ///
    /// Times are microseconds since 1970 of the database's clock. Tests pass another time.
    package enum AccountStatement {
        package typealias Statement = PostgresDatabase.Statement

        /// Returns an expression for the time in a parameter, or for the time of the database if the parameter is NULL.
        static func clock(_ parameter: String) -> String {
            "coalesce(\(parameter)::int8, (extract(epoch FROM clock_timestamp()) * 1000000)::int8)"
        }

        /// All statements. A test checks that they contain only SQL that distributed databases accept.
        package static let all: [Statement] =
            apps + documents + users + links + logins + keys + codes + following + counting + imports

        static let now = Statement("account_now", "SELECT \(clock("$1"))")

        // MARK: Apps

        private static let appColumns = "id, anonymous, email_password, access, adopts, revision"

        static let createApp = Statement(
            "account_create_app",
            """
            WITH made AS (INSERT INTO app(id, anonymous, email_password, access, created, adopts, revision)
                VALUES ($1, $2, $3, $4, \(clock("$5")), false, $6::int8) ON CONFLICT (id) DO NOTHING RETURNING id)
            INSERT INTO change_note(at, id, app, kind, subject)
            SELECT \(clock("$5")), $6::int8, made.id, 'app', '' FROM made RETURNING app
            """
        )
        static let allApps = Statement("account_apps", "SELECT \(appColumns) FROM app ORDER BY id")
        static let app = Statement("account_app", "SELECT \(appColumns) FROM app WHERE id = $1")
        /// $1: the app. $2: the revision that was read. $3: the new one. $4: the time.
        static let changeApp = Statement(
            "account_change_app",
            """
            WITH changed AS (UPDATE app SET revision = $3::int8, anonymous = $5, email_password = $6, access = $7, adopts = $8
                WHERE id = $1 AND revision = $2 RETURNING id)
            INSERT INTO change_note(at, id, app, kind, subject)
            SELECT \(clock("$4")), $3::int8, changed.id, 'app', '' FROM changed RETURNING app
            """
        )
        static let deleteApp = Statement(
            "account_delete_app",
            """
            WITH gone AS (DELETE FROM app WHERE id = $1 RETURNING id)
            INSERT INTO change_note(at, id, app, kind, subject)
            SELECT \(clock("$2")), $3::int8, gone.id, 'gone', '' FROM gone RETURNING app
            """
        )
        static let lockUsersOfApp = Statement(
            "account_lock_users",
            "UPDATE app_user SET disabled = true WHERE app = $1"
        )
        static let endLoginsOfApp = Statement(
            "account_end_logins_of_app",
            "UPDATE login SET ended = true, ended_at = \(clock("$2")) WHERE app = $1 AND NOT ended"
        )
        static let dropSessionsOfApp = Statement(
            "account_drop_sessions_of_app",
            "DELETE FROM session WHERE login IN (SELECT id FROM login WHERE app = $1)"
        )
        static let dropKeysOfApp = Statement("account_drop_keys_of_app", "DELETE FROM api_key WHERE app = $1")
        static let dropCodesOfApp = Statement("account_drop_codes_of_app", "DELETE FROM code WHERE app = $1")
        static let dropIdentitiesOfApp = Statement(
            "account_drop_identities_of_app",
            "DELETE FROM identity WHERE app = $1"
        )
        static let dropUsersOfApp = Statement("account_drop_users_of_app", "DELETE FROM app_user WHERE app = $1")
        static let dropDocumentsOfApp = Statement(
            "account_drop_documents_of_app",
            "DELETE FROM app_document WHERE app = $1"
        )

        private static let apps = [
            now, createApp, allApps, app, changeApp, deleteApp, lockUsersOfApp, endLoginsOfApp, dropSessionsOfApp,
            dropKeysOfApp, dropCodesOfApp, dropIdentitiesOfApp, dropUsersOfApp, dropDocumentsOfApp,
        ]

        // MARK: Documents

        static let documentsOfApp = Statement(
            "account_documents",
            "SELECT kind, name, body FROM app_document WHERE app = $1 ORDER BY kind, name"
        )
        /// $1: the app. $2: the revision of the app that an earlier statement of the same transaction has set.
        static let dropDocuments = Statement(
            "account_drop_documents",
            "DELETE FROM app_document WHERE app = $1 AND EXISTS (SELECT 1 FROM app WHERE id = $1 AND revision = $2)"
        )
        static let addDocuments = Statement(
            "account_add_documents",
            """
            INSERT INTO app_document(app, kind, name, body)
            SELECT a.id, t.* FROM app a CROSS JOIN unnest($3::text[], $4::text[], $5::text[]) AS t
            WHERE a.id = $1 AND a.revision = $2
            """
        )

        private static let documents = [documentsOfApp, dropDocuments, addDocuments]

        // MARK: Users

        private static let userColumns = "id, app, disabled, custom_data, created"

        static let user = Statement("account_user", "SELECT \(userColumns) FROM app_user WHERE id = $1")
        static let identitiesOfUser = Statement(
            "account_identities",
            "SELECT id, provider, name, confirmed, usr, profile FROM identity WHERE usr = $1 ORDER BY id"
        )
        static let usersOfApp = Statement(
            "account_users_of_app",
            "SELECT \(userColumns) FROM app_user WHERE app = $1 ORDER BY id"
        )
        static let identitiesOfApp = Statement(
            "account_identities_of_app",
            "SELECT id, provider, name, confirmed, usr, profile FROM identity WHERE app = $1 ORDER BY id"
        )
        /// Returns a page of users in the order of their ids. $1: the app. $2: the last id of the previous page. $3: a part of a name, or a whole id,
        /// or an empty text for all users. $4: the maximum number of users.
        static let usersOfPart = Statement(
            "account_users_of_part",
            """
            SELECT \(userColumns) FROM app_user WHERE app = $1 AND id > $2 AND ($3 = '' OR id = $3 OR id IN
                (SELECT usr FROM identity WHERE app = $1 AND position(lower($3) IN lower(name)) > 0)) ORDER BY id LIMIT $4::int8
            """
        )
        static let usersOfList = Statement(
            "account_users_of_list",
            "SELECT \(userColumns) FROM app_user WHERE id = ANY($1) ORDER BY id"
        )
        static let identitiesOfList = Statement(
            "account_identities_of_list",
            "SELECT id, provider, name, confirmed, usr, profile FROM identity WHERE usr = ANY($1) ORDER BY id"
        )
        static let hasUser = Statement("account_has_user", "SELECT 1::int8 FROM app_user WHERE id = $1")
        static let createUser = Statement(
            "account_create_user",
            """
            WITH made AS (INSERT INTO identity(app, provider, name, usr, id, password, confirmed, profile)
                VALUES ($1, $2, $3, $4, $5, $6, $7, $10) ON CONFLICT (app, provider, name) DO NOTHING RETURNING app, usr)
            INSERT INTO app_user(id, app, disabled, logged_in, custom_data, created)
            SELECT made.usr, made.app, false, false, $8::text, \(clock("$9")) FROM made RETURNING id
            """
        )
        static let identity = Statement(
            "account_identity",
            "SELECT usr, password, confirmed FROM identity WHERE app = $1 AND provider = $2 AND name = $3"
        )
        /// Returns the position, from 1 on, of the first name in a list for which an identity exists. $1: the app. $2: the provider. $3: the names.
        static let storedName = Statement(
            "account_stored_name",
            """
            SELECT t.place FROM unnest($3::text[]) WITH ORDINALITY AS t(name, place)
            JOIN identity i ON i.app = $1 AND i.provider = $2 AND i.name = t.name ORDER BY t.place LIMIT 1
            """
        )
        /// Locks the row of a user without changing it. Transactions that change rows of the same user therefore run one after the other.
        static let lockUser = Statement(
            "account_lock_user",
            "UPDATE app_user SET disabled = disabled WHERE id = $1 RETURNING app"
        )
        static let setDisabled = Statement(
            "account_set_disabled",
            "UPDATE app_user SET disabled = $2 WHERE id = $1 RETURNING app"
        )
        static let setCustomData = Statement(
            "account_set_custom_data",
            """
            WITH changed AS (UPDATE app_user SET custom_data = $2 WHERE id = $1 RETURNING id, app)
            INSERT INTO change_note(at, id, app, kind, subject)
            SELECT \(clock("$3")), $4::int8, changed.app, 'user', changed.id FROM changed RETURNING app
            """
        )
        static let dropUser = Statement("account_drop_user", "DELETE FROM app_user WHERE id = $1")
        static let dropKeysOfUser = Statement("account_drop_keys_of_user", "DELETE FROM api_key WHERE usr = $1")
        static let dropCodesOfUser = Statement(
            "account_drop_codes_of_user",
            """
            DELETE FROM code c USING identity i
            WHERE i.usr = $1 AND i.provider = '\(AccountStatement.mail)' AND c.app = i.app AND c.name = i.name
            """
        )
        static let dropIdentitiesOfUser = Statement(
            "account_drop_identities_of_user",
            "DELETE FROM identity WHERE usr = $1"
        )

        /// The provider of email addresses and passwords. Only its identities have codes for confirmations and resets.
        static let mail = "local-userpass"

        private static let users = [
            user, identitiesOfUser, usersOfApp, identitiesOfApp, usersOfPart, usersOfList, identitiesOfList, hasUser,
            createUser,
            identity, storedName, lockUser, setDisabled, setCustomData, dropUser, dropKeysOfUser, dropCodesOfUser,
            dropIdentitiesOfUser,
        ]

        // MARK: Links

        /// Returns the state of a user whose identity is to be moved to another user. $1: the user.
        static let linkState = Statement(
            "account_link_state",
            """
            SELECT u.disabled, u.logged_in OR EXISTS (SELECT 1 FROM login l WHERE l.usr = u.id)
                OR EXISTS (SELECT 1 FROM api_key k WHERE k.usr = u.id), (SELECT count(*) FROM identity i WHERE i.usr = u.id)
            FROM app_user u WHERE u.id = $1
            """
        )
        /// Locks two users, in the order of their ids.
        static let lockUsers = Statement(
            "account_lock_two_users",
            "SELECT id FROM app_user WHERE id = ANY($1) ORDER BY id FOR UPDATE"
        )
        /// $1: the user that receives the identity. $2: the user that loses it. $3 to $5: the identity.
        static let moveIdentity = Statement(
            "account_move_identity",
            """
            UPDATE identity SET usr = $1 WHERE app = $3 AND provider = $4 AND name = $5 AND usr = $2
                AND EXISTS (SELECT 1 FROM app_user u WHERE u.id = $1)
                AND NOT EXISTS (SELECT 1 FROM app_user u WHERE u.id = $2 AND (u.disabled OR u.logged_in))
                AND NOT EXISTS (SELECT 1 FROM login l WHERE l.usr = $2)
                AND NOT EXISTS (SELECT 1 FROM api_key k WHERE k.usr = $2)
                AND (SELECT count(*) FROM identity o WHERE o.usr = $2) = 1
            RETURNING usr
            """
        )
        static let dropEmptyUser = Statement(
            "account_drop_empty_user",
            """
            DELETE FROM app_user u WHERE u.id = $1 AND NOT EXISTS (SELECT 1 FROM identity i WHERE i.usr = u.id)
                AND NOT EXISTS (SELECT 1 FROM login l WHERE l.usr = u.id)
            """
        )
        static let noteUser = Statement(
            "account_note_user",
            """
            INSERT INTO change_note(at, id, app, kind, subject)
            SELECT \(clock("$2")), $3::int8, app, 'user', id FROM app_user WHERE id = $1
            """
        )

        private static let links = [linkState, lockUsers, moveIdentity, dropEmptyUser, noteUser]
    }
#endif
