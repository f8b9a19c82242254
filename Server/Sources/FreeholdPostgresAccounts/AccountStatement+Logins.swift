#if PostgreSQL
    import FreeholdPostgresStore

    /// The statements of log-ins, keys and codes.
    extension AccountStatement {
        // MARK: Log-ins

        /// Locks a user that logs in. Returns no row for a disabled user.
        static let enter = Statement(
            "account_enter",
            "UPDATE app_user SET logged_in = true WHERE id = $1 AND NOT disabled RETURNING id"
        )
        /// Ends the log-ins of a user that have expired.
        static let expireLogins = Statement(
            "account_expire_logins",
            """
            WITH closed AS (UPDATE login SET ended = true, ended_at = \(clock("$2"))
                WHERE usr = $1 AND NOT ended AND expires < \(clock("$2")) RETURNING id, app)
            INSERT INTO change_note(at, id, app, kind, subject)
            SELECT \(clock("$2")), $3::int8, closed.app, 'login', closed.id FROM closed
            """
        )
        /// Begins a log-in of a user that isn't disabled. $1: the user. $2: the log-in. $3: its stamp. $4 to $6: the refresh token.
        static let beginLogin = Statement(
            "account_begin_login",
            """
            WITH begun AS (INSERT INTO login(id, usr, app, ended, stamp, expires)
                SELECT $2, u.id, u.app, false, $3::int8, $6::int8 FROM app_user u WHERE u.id = $1 AND NOT u.disabled
                RETURNING id)
            INSERT INTO session(digest, login, parent, created, expires)
            SELECT $4, begun.id, '', $5::int8, $6::int8 FROM begun RETURNING login
            """
        )
        /// Returns the log-in of a refresh token, if the log-in hasn't ended, and the time.
        static let loginOfToken = Statement(
            "account_login_of_token",
            """
            SELECT l.id, l.usr, l.stamp, \(clock("$2")) FROM login l
            WHERE l.id = (SELECT s.login FROM session s WHERE s.digest = $1) AND NOT l.ended
            """
        )
        static let tokens = Statement(
            "account_tokens",
            """
            SELECT digest, parent, created, expires, replaced FROM session
            WHERE login = (SELECT s.login FROM session s WHERE s.digest = $1) ORDER BY created, digest
            """
        )
        static let ownerOfToken = Statement(
            "account_owner_of_token",
            """
            SELECT id, app, disabled, custom_data, created FROM app_user
            WHERE id = (SELECT l.usr FROM session s JOIN login l ON l.id = s.login WHERE s.digest = $1)
            """
        )
        static let identitiesOfOwner = Statement(
            "account_identities_of_owner",
            """
            SELECT id, provider, name, confirmed, usr, profile FROM identity
            WHERE usr = (SELECT l.usr FROM session s JOIN login l ON l.id = s.login WHERE s.digest = $1) ORDER BY id
            """
        )
        /// Locks a log-in and gives it a new stamp, if its tokens haven't changed since they were read. $1: the log-in. $2: the stamp that was read.
        /// $3: the new stamp. $4: the expiry time.
        static let stampLogin = Statement(
            "account_stamp_login",
            """
            UPDATE login SET stamp = $3::int8, expires = greatest(expires, $4::int8)
            WHERE id = $1 AND stamp = $2 AND NOT ended RETURNING id
            """
        )
        /// $1: the log-in. $2: the stamp that the transaction has given to it. The following statements also have these parameters.
        static let addToken = Statement(
            "account_add_token",
            """
            INSERT INTO session(digest, login, parent, created, expires)
            SELECT $3, l.id, $4, $5::int8, $6::int8 FROM login l WHERE l.id = $1 AND l.stamp = $2 AND NOT l.ended
            """
        )
        static let replaceToken = Statement(
            "account_replace_token",
            """
            UPDATE session SET replaced = $4::int8 WHERE digest = $3 AND login = $1 AND replaced IS NULL
                AND EXISTS (SELECT 1 FROM login l WHERE l.id = $1 AND l.stamp = $2)
            """
        )
        static let dropTokens = Statement(
            "account_drop_tokens",
            """
            DELETE FROM session WHERE login = $1 AND digest = ANY($3)
                AND EXISTS (SELECT 1 FROM login l WHERE l.id = $1 AND l.stamp = $2)
            """
        )
        /// Ends the log-in of a refresh token, with any stamp.
        static let endLogin = Statement(
            "account_end_login",
            """
            WITH closed AS (UPDATE login SET ended = true, ended_at = \(clock("$2"))
                WHERE id = (SELECT s.login FROM session s WHERE s.digest = $1) AND NOT ended RETURNING id, app)
            INSERT INTO change_note(at, id, app, kind, subject)
            SELECT \(clock("$2")), $3::int8, closed.app, 'login', closed.id FROM closed RETURNING subject
            """
        )
        /// Removes the tokens of a log-in. It is a separate statement after `endLogin`, so that it also removes tokens that a renewal added while
        /// `endLogin` waited for the lock.
        static let dropTokensOfLogin = Statement(
            "account_drop_tokens_of_login",
            """
            DELETE FROM session WHERE login =
                (SELECT l.id FROM session s JOIN login l ON l.id = s.login WHERE s.digest = $1 AND l.ended)
            """
        )
        static let endLoginsOfUser = Statement(
            "account_end_logins_of_user",
            """
            WITH closed AS (UPDATE login SET ended = true, ended_at = \(clock("$2")) WHERE usr = $1 AND NOT ended
                RETURNING id, app)
            INSERT INTO change_note(at, id, app, kind, subject)
            SELECT \(clock("$2")), $3::int8, closed.app, 'login', closed.id FROM closed
            """
        )
        static let dropSessionsOfUser = Statement(
            "account_drop_sessions_of_user",
            "DELETE FROM session WHERE login IN (SELECT id FROM login WHERE usr = $1 AND ended)"
        )
        static let userOfLogin = Statement(
            "account_user_of_login",
            """
            SELECT u.id, u.app, u.disabled, u.custom_data, u.created FROM app_user u
            JOIN login l ON l.id = $2 AND l.usr = u.id WHERE u.id = $1 AND NOT u.disabled AND NOT l.ended
            """
        )
        static let openLogins = Statement(
            "account_open_logins",
            "SELECT id FROM login WHERE id = ANY($1) AND NOT ended"
        )

        static let logins = [
            enter, expireLogins, beginLogin, loginOfToken, tokens, ownerOfToken, identitiesOfOwner, stampLogin,
            addToken,
            replaceToken, dropTokens, endLogin, dropTokensOfLogin, endLoginsOfUser, dropSessionsOfUser, userOfLogin,
            openLogins,
        ]

        // MARK: API keys

        /// $1: the user. Its row must be locked. $5: the maximum number of keys of a user.
        static let createKey = Statement(
            "account_create_key",
            """
            INSERT INTO api_key(id, usr, app, name, digest, disabled)
            SELECT $2, u.id, u.app, $3, $4, false FROM app_user u
            WHERE u.id = $1 AND (SELECT count(*) FROM api_key k WHERE k.usr = $1) < $5::int8
            ON CONFLICT (usr, name) DO NOTHING RETURNING id
            """
        )
        static let keyCount = Statement("account_key_count", "SELECT count(*) FROM api_key WHERE usr = $1")
        static let keysOfUser = Statement(
            "account_keys",
            "SELECT id, usr, name, disabled FROM api_key WHERE usr = $1 ORDER BY id"
        )
        static let setKey = Statement(
            "account_set_key",
            "UPDATE api_key SET disabled = $3 WHERE id = $1 AND usr = $2 RETURNING id"
        )
        static let deleteKey = Statement(
            "account_delete_key",
            "DELETE FROM api_key WHERE id = $1 AND usr = $2 RETURNING id"
        )
        static let userOfKey = Statement(
            "account_user_of_key",
            "SELECT usr FROM api_key WHERE digest = $1 AND app = $2 AND NOT disabled"
        )

        static let keys = [createKey, keyCount, keysOfUser, setKey, deleteKey, userOfKey]

        // MARK: Codes

        /// Creates a code, which replaces the earlier code of the same kind.
        static let createCode = Statement(
            "account_create_code",
            """
            INSERT INTO code(id, digest, app, name, reset, expires)
            SELECT $3, $4, i.app, i.name, $5::bool, \(clock("$6")) + $7::int8 FROM identity i
            WHERE i.app = $1 AND i.provider = '\(AccountStatement.mail)' AND i.name = $2
            ON CONFLICT (app, name, reset) DO UPDATE SET id = excluded.id, digest = excluded.digest, expires = excluded.expires
            RETURNING id
            """
        )
        private static let isCode = "c.id = $1 AND c.digest = $2 AND c.app = $3 AND c.expires > \(clock("$4"))"
        private static let ofCode = "i.app = c.app AND i.provider = '\(AccountStatement.mail)' AND i.name = c.name"

        static let confirm = Statement(
            "account_confirm",
            """
            WITH c AS (DELETE FROM code c WHERE \(isCode) AND NOT c.reset RETURNING c.app, c.name)
            UPDATE identity i SET confirmed = true FROM c WHERE \(ofCode) RETURNING i.usr
            """
        )
        static let ownerOfCode = Statement(
            "account_owner_of_code",
            "SELECT i.usr FROM code c JOIN identity i ON \(ofCode) WHERE \(isCode) AND c.reset"
        )
        /// Sets a password. The code was sent to the address, so the statement also confirms the address. $5: the hash of the password.
        static let reset = Statement(
            "account_reset",
            """
            WITH c AS (DELETE FROM code c WHERE \(isCode) AND c.reset RETURNING c.app, c.name)
            UPDATE identity i SET confirmed = true, password = $5 FROM c WHERE \(ofCode) RETURNING i.usr
            """
        )
        /// Like `endLoginsOfUser`, for the transaction that has set a new password. It does nothing if the password wasn't set. $4: the hash of the
        /// password.
        static let endLoginsAfterReset = Statement(
            "account_end_logins_after_reset",
            """
            WITH closed AS (UPDATE login SET ended = true, ended_at = \(clock("$2")) WHERE usr = $1 AND NOT ended
                    AND EXISTS (SELECT 1 FROM identity i WHERE i.usr = $1 AND i.password = $4)
                RETURNING id, app)
            INSERT INTO change_note(at, id, app, kind, subject)
            SELECT \(clock("$2")), $3::int8, closed.app, 'login', closed.id FROM closed
            """
        )

        static let codes = [createCode, confirm, ownerOfCode, reset, endLoginsAfterReset]

        // MARK: Following

        /// Returns the notes at and after a time. $1: the time, or NULL for the time $3 microseconds before the present time. $2: the present time.
        static let notes = Statement(
            "account_notes",
            """
            SELECT at, id, app, kind, subject FROM change_note WHERE at >= coalesce($1::int8, \(clock("$2")) - $3::int8)
            ORDER BY at, id
            """
        )
        static let dropNotes = Statement(
            "account_drop_notes",
            "DELETE FROM change_note WHERE at < \(clock("$1")) - $2::int8"
        )
        static let dropLogins = Statement(
            "account_drop_logins",
            "DELETE FROM login WHERE ended AND ended_at < \(clock("$1")) - $2::int8"
        )
        static let dropCodes = Statement("account_drop_codes", "DELETE FROM code WHERE expires < \(clock("$1"))")
        static let dropAttempts = Statement("account_drop_attempts", "DELETE FROM attempt WHERE until < \(clock("$1"))")

        static let following = [notes, dropNotes, dropLogins, dropCodes, dropAttempts]

        // MARK: Attempts

        /// Counts an attempt, and returns a row if it is permitted.
        ///
        /// $1: the name. $2: the time. $3: the window. $4: the permitted attempts. $5: whether each attempt restarts the window.
        static let attempt = Statement(
            "account_attempt",
            """
            INSERT INTO attempt(name, count, until) VALUES ($1, 1, \(clock("$2")) + $3::int8)
            ON CONFLICT (name) DO UPDATE SET
                count = CASE WHEN attempt.until <= \(clock("$2")) THEN 1 ELSE attempt.count + 1 END,
                until = CASE WHEN attempt.until <= \(clock("$2")) OR $5 THEN \(clock("$2")) + $3::int8
                    ELSE least(attempt.until, \(clock("$2")) + $3::int8) END
            WHERE attempt.until <= \(clock("$2")) OR attempt.count < $4::int8
            RETURNING count
            """
        )
        static let forgetAttempts = Statement("account_forget_attempts", "DELETE FROM attempt WHERE name = $1")

        static let counting = [attempt, forgetAttempts]
    }
#endif
