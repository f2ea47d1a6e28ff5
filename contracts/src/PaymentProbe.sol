// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

/// Never deployed: an `eth_call` runs its creation code, which answers everything that must be known about a signed payment,
/// of one block and in one question. A question that the token does not know is answered with no.
contract PaymentProbe {
    struct Answer {
        bool isUsed;
        uint256 balance;
        bool isPayerBlocked;
        bool isPayeeBlocked;
        bool isPaused;
        /// The token then asks the payer itself about the signature, also when it is an account with a key (EIP-7702).
        bool hasCode;
        bool isAcceptedByWallet;
    }

    /// A wallet that needs more could not be settled in a batch.
    uint256 private constant SIGNATURE_GAS = 100_000;
    bytes4 private constant IS_VALID_SIGNATURE = bytes4(keccak256("isValidSignature(bytes32,bytes)"));

    constructor(address token, address payer, address payee, bytes32 nonce, bytes32 digest, bytes memory signature) {
        Answer memory answer;
        answer.isUsed = _asks(token, abi.encodeWithSignature("authorizationState(address,bytes32)", payer, nonce)) == 1;
        answer.balance = _asks(token, abi.encodeWithSignature("balanceOf(address)", payer));
        answer.isPayerBlocked = _asks(token, abi.encodeWithSignature("isBlacklisted(address)", payer)) == 1;
        answer.isPayeeBlocked = _asks(token, abi.encodeWithSignature("isBlacklisted(address)", payee)) == 1;
        answer.isPaused = _asks(token, abi.encodeWithSignature("paused()")) == 1;
        answer.hasCode = payer.code.length > 0;
        if (answer.hasCode) {
            (bool success, bytes memory magic) =
                payer.staticcall{gas: SIGNATURE_GAS}(abi.encodeWithSelector(IS_VALID_SIGNATURE, digest, signature));
            answer.isAcceptedByWallet =
                success && magic.length >= 32 && abi.decode(magic, (bytes32)) == bytes32(IS_VALID_SIGNATURE);
        }
        bytes memory encoded = abi.encode(answer);
        assembly ("memory-safe") {
            return(add(encoded, 32), mload(encoded))
        }
    }

    function _asks(address token, bytes memory question) private view returns (uint256) {
        (bool success, bytes memory answer) = token.staticcall(question);
        return success && answer.length >= 32 ? abi.decode(answer, (uint256)) : 0;
    }
}
