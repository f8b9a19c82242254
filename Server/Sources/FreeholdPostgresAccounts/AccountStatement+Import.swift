#if PostgreSQL
    import FreeholdPostgresStore

    /// The statements of push registrations, confirmations by hooks and imports of users.
    extension AccountStatement {
        // MARK: Push registrations

        /// Locks a log-in that hasn't ended, so that it can't end while a registration is added to it.
        static let lockLogin = Statement(
            "account_lock_login",
            "UPDATE login SET ended = ended WHERE id = $1 AND usr = $2 AND NOT ended RETURNING id"
        )
        /// Removes the other registrations of a log-in at a service. $4: the key of the new one.
        static let dropOtherPushes = Statement(
            "account_drop_other_pushes",
            """
            DELETE FROM push WHERE login = $1 AND service = $3 AND key <> $4
                AND EXISTS (SELECT 1 FROM login l WHERE l.id = $1 AND l.usr = $2 AND NOT l.ended)
            """
        )
        /// Removes the oldest registration of a user if the user already has the maximum number of registrations. $4:
        /// the maximum.
        static let dropOldestPush = Statement(
            "account_drop_oldest_push",
            """
            DELETE FROM push WHERE key = (SELECT p.key FROM push p WHERE p.usr = $2 ORDER BY p.created, p.key LIMIT 1)
                AND (SELECT count(*) FROM push c WHERE c.usr = $2) >= $4::int8
                AND NOT EXISTS (SELECT 1 FROM push k WHERE k.key = $3)
                AND EXISTS (SELECT 1 FROM login l WHERE l.id = $1 AND l.usr = $2 AND NOT l.ended)
            """
        )
        /// $1: the log-in. $2: the user. $3: the key. $4: the app. $5: the service. $6: the token. $7: the time.
        static let addPush = Statement(
            "account_add_push",
            """
            INSERT INTO push(key, app, usr, login, service, token, created)
            SELECT $3, $4, l.usr, l.id, $5, $6, \(clock("$7")) FROM login l WHERE l.id = $1 AND l.usr = $2 AND NOT l.ended
            ON CONFLICT (key) DO UPDATE SET usr = excluded.usr, login = excluded.login, created = excluded.created
            WHERE push.login <> excluded.login
            """
        )
        static let dropPushes = Statement(
            "account_drop_pushes",
            "DELETE FROM push WHERE login = $1 AND service = $2"
        )
        static let pushes = Statement(
            "account_pushes",
            """
            SELECT app, usr, login, service, token, created FROM push
            WHERE app = $1 AND ($2::text IS NULL OR usr = $2) ORDER BY created, key
            """
        )
        static let dropPushesOfUser = Statement(
            "account_drop_pushes_of_user",
            "DELETE FROM push WHERE login IN (SELECT id FROM login WHERE usr = $1 AND ended)"
        )
        static let dropPushesOfToken = Statement(
            "account_drop_pushes_of_token",
            """
            DELETE FROM push WHERE login =
                (SELECT l.id FROM session s JOIN login l ON l.id = s.login WHERE s.digest = $1 AND l.ended)
            """
        )
        static let dropPushesOfApp = Statement("account_drop_pushes_of_app", "DELETE FROM push WHERE app = $1")

        // MARK: Passwords and confirmations

        static let replacePassword = Statement(
            "account_replace_password",
            "UPDATE identity SET password = $5 WHERE app = $1 AND provider = $2 AND name = $3 AND password = $4"
        )
        /// Returns the user of a code, if the user's address isn't confirmed.
        static let unconfirmed = Statement(
            "account_unconfirmed",
            """
            SELECT i.usr FROM code c JOIN identity i
                ON i.app = c.app AND i.provider = '\(AccountStatement.mail)' AND i.name = c.name
            JOIN app_user u ON u.id = i.usr
            WHERE c.id = $1 AND c.app = $2 AND NOT i.confirmed AND NOT u.logged_in
                AND (SELECT count(*) FROM identity o WHERE o.usr = i.usr) = 1
            """
        )
        static let dropUnconfirmed = Statement(
            "account_drop_unconfirmed",
            """
            DELETE FROM identity i WHERE i.usr = $1 AND NOT i.confirmed
                AND NOT EXISTS (SELECT 1 FROM app_user u WHERE u.id = $1 AND u.logged_in)
                AND (SELECT count(*) FROM identity o WHERE o.usr = $1) = 1
            """
        )
        static let dropCode = Statement(
            "account_drop_code",
            """
            DELETE FROM code c WHERE c.id = $1 AND NOT EXISTS (SELECT 1 FROM identity i
                WHERE i.app = c.app AND i.provider = '\(AccountStatement.mail)' AND i.name = c.name)
            """
        )
        static let setProfile = Statement(
            "account_set_profile",
            """
            WITH changed AS (UPDATE identity SET profile = $4 WHERE app = $1 AND provider = $2 AND name = $3 AND profile <> $4
                RETURNING usr, app)
            INSERT INTO change_note(at, id, app, kind, subject)
            SELECT \(clock("$5")), $6::int8, changed.app, 'user', changed.usr FROM changed
            """
        )

        // MARK: Imports

        /// Documents may belong to an imported user. The user therefore counts as logged in, so that it can't be linked
        /// to another user.
        static let importUser = Statement(
            "account_import_user",
            """
            INSERT INTO app_user(id, app, disabled, logged_in, custom_data, created)
            VALUES ($1, $2, $3, true, $4, coalesce($5::int8, \(clock("$6")))) ON CONFLICT (id) DO NOTHING RETURNING id
            """
        )
        static let importIdentity = Statement(
            "account_import_identity",
            """
            INSERT INTO identity(app, provider, name, usr, id, password, confirmed, profile)
            VALUES ($1, $2, $3, $4, $5, $6, $7, $8) ON CONFLICT (app, provider, name) DO NOTHING RETURNING id
            """
        )
        static let importKey = Statement(
            "account_import_key",
            """
            INSERT INTO api_key(id, usr, app, name, digest, disabled)
            SELECT $1, $2, $3, $4, $5, $6::bool WHERE (SELECT count(*) FROM api_key k WHERE k.usr = $2) < $7::int8
                AND NOT EXISTS (SELECT 1 FROM api_key o WHERE o.digest = $5)
            ON CONFLICT DO NOTHING RETURNING id
            """
        )
        static let keyOfDigest = Statement("account_key_of_digest", "SELECT usr FROM api_key WHERE digest = $1")

        package static let imports = [
            lockLogin, dropOtherPushes, dropOldestPush, addPush, dropPushes, pushes, dropPushesOfUser,
            dropPushesOfToken,
            dropPushesOfApp, replacePassword, unconfirmed, dropUnconfirmed, dropCode, setProfile, importUser,
            importIdentity, importKey, keyOfDigest,
        ]
    }
#endif
