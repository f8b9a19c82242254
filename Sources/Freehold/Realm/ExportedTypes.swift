// The value types of models are the engine's; nothing else of the engine is seen by those who import Freehold.
@_exported public import struct FreeholdEngine.Decimal128
@_exported public import struct FreeholdEngine.ObjectId
@_exported public import struct FreeholdEngine.QueryError
