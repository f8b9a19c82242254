// Types of public settings, such as `TrustedProxies`, are in the module of HTTP servers.
@_exported public import FreeholdHTTP
