// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

/// The body of a CCTP v2 message that says what was burned.
library BurnMessageV2 {
    struct Burn {
        uint32 version;
        bytes32 burnToken;
        bytes32 mintRecipient;
        uint256 amount;
        bytes32 messageSender;
        uint256 maxFee;
        // Zero when the message is sent. The attesters fill in both for a fast transfer; expiration block 0 means never.
        uint256 feeExecuted;
        uint256 expirationBlock;
        bytes hookData;
    }

    uint256 private constant HOOK_DATA_OFFSET = 228;

    function encode(Burn memory burn) internal pure returns (bytes memory) {
        return abi.encodePacked(
            burn.version,
            burn.burnToken,
            burn.mintRecipient,
            burn.amount,
            burn.messageSender,
            burn.maxFee,
            burn.feeExecuted,
            burn.expirationBlock,
            burn.hookData
        );
    }

    /// Leaves the hook data where it is: the contracts never read it.
    function decode(bytes calldata body) internal pure returns (Burn memory burn) {
        require(body.length >= HOOK_DATA_OFFSET, "Invalid burn message: too short");
        burn.version = uint32(bytes4(body[0:4]));
        burn.burnToken = bytes32(body[4:36]);
        burn.mintRecipient = bytes32(body[36:68]);
        burn.amount = uint256(bytes32(body[68:100]));
        burn.messageSender = bytes32(body[100:132]);
        burn.maxFee = uint256(bytes32(body[132:164]));
        burn.feeExecuted = uint256(bytes32(body[164:196]));
        burn.expirationBlock = uint256(bytes32(body[196:228]));
    }
}
