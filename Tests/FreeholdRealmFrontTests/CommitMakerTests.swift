import Testing

@testable import FreeholdRealmFront
import FreeholdRealmWire
import FreeholdSyncCore
import TestExpectations
