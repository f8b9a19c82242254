@_exported public import Freehold
