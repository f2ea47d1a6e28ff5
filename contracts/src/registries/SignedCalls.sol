// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {EIP712} from "@openzeppelin/contracts/utils/cryptography/EIP712.sol";
import {SignatureChecker} from "@openzeppelin/contracts/utils/cryptography/SignatureChecker.sol";

/// Forwards calls that somebody signed to contracts that trust this one to say who it was (ERC-2771). Nonces are chosen by
/// the signer and have no order, so that one call never waits for another. OpenZeppelin's forwarder has nonces in order,
/// and lets anybody send what was signed.
contract SignedCalls is EIP712 {
    struct Call {
        address from;
        address to;
        bytes data;
        bytes32 nonce;
        uint256 deadline;
        // Who may send it: nobody else uses it up, or chooses its moment.
        address relayer;
    }

    bytes32 public constant CALL_TYPEHASH =
        keccak256("Call(address from,address to,bytes data,bytes32 nonce,uint256 deadline,address relayer)");

    mapping(address from => mapping(bytes32 nonce => bool)) public isNonceUsed;

    event CallExecuted(address indexed from, address indexed to, bytes32 indexed nonce);

    error NotRelayer(address caller);
    error CallExpired(uint256 deadline);
    error NonceUsed(address from, bytes32 nonce);
    error WrongCallSignature();
    error TargetNotAllowed(address target);

    constructor() EIP712("SignedCalls", "1") {}

    /// Reverts with the target's own reason when that refuses; the nonce is then as unused as before.
    function execute(Call calldata signedCall, bytes calldata signature) external returns (bytes memory answer) {
        if (msg.sender != signedCall.relayer) revert NotRelayer(msg.sender);
        if (block.timestamp > signedCall.deadline) revert CallExpired(signedCall.deadline);
        if (isNonceUsed[signedCall.from][signedCall.nonce]) revert NonceUsed(signedCall.from, signedCall.nonce);
        if (!SignatureChecker.isValidSignatureNow(signedCall.from, _digestOf(signedCall), signature)) {
            revert WrongCallSignature();
        }
        isNonceUsed[signedCall.from][signedCall.nonce] = true;
        emit CallExecuted(signedCall.from, signedCall.to, signedCall.nonce);
        return _perform(signedCall);
    }

    function _perform(Call calldata signedCall) internal virtual returns (bytes memory) {
        if (!_isTrustedBy(signedCall.to)) revert TargetNotAllowed(signedCall.to);
        return _callOrRevert(signedCall.to, abi.encodePacked(signedCall.data, signedCall.from));
    }

    function _callOrRevert(address target, bytes memory data) internal returns (bytes memory answer) {
        bool success;
        (success, answer) = target.call(data);
        if (!success) {
            assembly ("memory-safe") {
                revert(add(answer, 0x20), mload(answer))
            }
        }
    }

    function _digestOf(Call calldata signedCall) private view returns (bytes32) {
        return _hashTypedDataV4(
            keccak256(
                abi.encode(
                    CALL_TYPEHASH,
                    signedCall.from,
                    signedCall.to,
                    keccak256(signedCall.data),
                    signedCall.nonce,
                    signedCall.deadline,
                    signedCall.relayer
                )
            )
        );
    }

    /// Any other contract would take this one for the caller.
    function _isTrustedBy(address target) private view returns (bool) {
        (bool success, bytes memory answer) =
            target.staticcall(abi.encodeWithSignature("isTrustedForwarder(address)", address(this)));
        return success && answer.length == 32 && abi.decode(answer, (uint256)) == 1;
    }
}
