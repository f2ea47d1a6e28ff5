// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

/// Addresses as messages between chains write them: padded on the left to 32 bytes.
library PaddedAddress {
    function pad(address account) internal pure returns (bytes32) {
        return bytes32(uint256(uint160(account)));
    }

    /// Ignores the first 12 bytes, as Circle's contracts do.
    function unpad(bytes32 word) internal pure returns (address) {
        return address(uint160(uint256(word)));
    }
}
