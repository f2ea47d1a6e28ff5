// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {IERC1271} from "@openzeppelin/contracts/interfaces/IERC1271.sol";
import {IERC721Receiver} from "@openzeppelin/contracts/token/ERC721/IERC721Receiver.sol";
import {ECDSA} from "@openzeppelin/contracts/utils/cryptography/ECDSA.sol";
import {SignedCalls} from "./SignedCalls.sol";

/// Makes calls that a wallet signed, with the wallet itself as their sender, for contracts that trust no forwarder. A wallet
/// that has a key takes this contract as its code (EIP-7702). It then still signs with its key alone, wherever it is asked
/// by ERC-1271, and keeps nothing in its storage.
contract WalletCalls is SignedCalls, IERC1271, IERC721Receiver {
    address private immutable _deployed = address(this);

    error NotDeployedHere(address here);
    error NotWalletCalls(address caller);

    /// A wallet takes money as it did without code.
    receive() external payable {}

    /// In the name of a wallet, by the contract whose code it has.
    function perform(address to, bytes calldata data) external returns (bytes memory) {
        if (msg.sender != _deployed) revert NotWalletCalls(msg.sender);
        return _callOrRevert(to, data);
    }

    function isValidSignature(bytes32 digest, bytes calldata signature) external view returns (bytes4) {
        (address signer, ECDSA.RecoverError problem,) = ECDSA.tryRecoverCalldata(digest, signature);
        bool isOwn = problem == ECDSA.RecoverError.NoError && signer == address(this);
        return isOwn ? IERC1271.isValidSignature.selector : bytes4(0xffffffff);
    }

    function onERC721Received(address, address, uint256, bytes calldata) external pure returns (bytes4) {
        return IERC721Receiver.onERC721Received.selector;
    }

    /// Reverts where the signer is no wallet with this code. Nothing of it works at a wallet's own address, which would
    /// otherwise call whomever a stranger has sign.
    function _perform(Call calldata signedCall) internal override returns (bytes memory) {
        if (address(this) != _deployed) revert NotDeployedHere(address(this));
        return WalletCalls(payable(signedCall.from)).perform(signedCall.to, signedCall.data);
    }
}
