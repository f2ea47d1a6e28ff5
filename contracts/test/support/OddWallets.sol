// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

/// Takes every signature of any length.
contract LenientWallet {
    function isValidSignature(bytes32, bytes calldata) external pure returns (bytes4) {
        return LenientWallet.isValidSignature.selector;
    }
}

/// Uses up whatever gas it is given when it is asked about a signature.
contract BurningWallet {
    function isValidSignature(bytes32, bytes calldata) external pure returns (bytes4) {
        while (true) {}
        return 0;
    }
}

/// Refuses with as much text as its gas pays for: whoever copies it pays for it once more.
contract ShoutingWallet {
    function isValidSignature(bytes32, bytes calldata) external pure returns (bytes4) {
        assembly ("memory-safe") {
            revert(0, 120000)
        }
    }
}

/// Takes every signature, after a long look at it.
contract SlowWallet {
    uint256 private constant GAS = 160_000;

    function isValidSignature(bytes32, bytes calldata) external view returns (bytes4) {
        uint256 before = gasleft();
        while (before - gasleft() < GAS) {}
        return SlowWallet.isValidSignature.selector;
    }
}

/// A token of somebody's making: it calls back into whoever settles with it.
contract ReturningToken {
    bool public cameBack;

    function transferWithAuthorization(
        address,
        address,
        uint256,
        uint256,
        uint256,
        bytes32,
        bytes calldata again
    ) external {
        (cameBack,) = msg.sender.call(again);
    }
}
