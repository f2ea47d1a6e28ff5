// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

interface IAuthorizedTransfers {
    function transferWithAuthorization(
        address from,
        address to,
        uint256 value,
        uint256 validAfter,
        uint256 validBefore,
        bytes32 nonce,
        uint8 v,
        bytes32 r,
        bytes32 s
    ) external;

    function transferWithAuthorization(
        address from,
        address to,
        uint256 value,
        uint256 validAfter,
        uint256 validBefore,
        bytes32 nonce,
        bytes calldata signature
    ) external;
}

/// Carries out many EIP-3009 authorizations to one payee in one transaction; one that fails does not fail its neighbours.
/// It has no owner, no state and no money: a payer's signature names the payee, and the token moves the amount straight
/// there. Whoever calls, with whatever token, can do nothing here that he could not ask of that token himself.
contract PaymentBatch {
    struct Item {
        address from;
        uint256 value;
        uint256 validAfter;
        uint256 validBefore;
        bytes32 nonce;
        /// 65 bytes (r, s, v), or whatever a payer with code takes.
        bytes signature;
    }

    /// What one item may use. A payer with code runs code of its own in its item, and must not use up what the items
    /// behind it need.
    uint256 public constant KEY_ITEM_GAS = 120_000;
    uint256 public constant WALLET_ITEM_GAS = 250_000;
    /// For the event of an item and the way to the next one.
    uint256 private constant GAS_BETWEEN_ITEMS = 10_000;
    uint256 private constant KEY_SIGNATURE_BYTES = 65;

    /// `isPaid` false: this item moved nothing here; its authorization may be used already, or still be open.
    event PaymentTried(address indexed token, address indexed from, bytes32 indexed nonce, uint256 value, bool isPaid);

    error PayeeNotAllowed(address payee);
    error TokenHasNoCode(address token);
    error NotEnoughGas(uint256 index);

    /// Tries every item, in their order. Reverts as a whole only for a payee or a token that cannot be meant, and for less
    /// gas than an item may use: no item fails because the caller was sparing.
    function settle(address token, address to, Item[] calldata items) external returns (uint256 paid) {
        if (to == address(0) || to == address(this)) revert PayeeNotAllowed(to);
        if (token.code.length == 0) revert TokenHasNoCode(token);
        for (uint256 index = 0; index < items.length; index++) {
            Item calldata item = items[index];
            uint256 itemGas = item.from.code.length == 0 ? KEY_ITEM_GAS : WALLET_ITEM_GAS;
            // A call gets at most 63 of 64 parts of what is left.
            if ((gasleft() - gasleft() / 64) < itemGas + GAS_BETWEEN_ITEMS) revert NotEnoughGas(index);
            bool isPaid = item.signature.length == KEY_SIGNATURE_BYTES
                ? _payInParts(token, to, item, itemGas)
                : _payInBytes(token, to, item, itemGas);
            if (isPaid) paid++;
            emit PaymentTried(token, item.from, item.nonce, item.value, isPaid);
        }
    }

    /// The form that every version of the tokens takes.
    function _payInParts(address token, address to, Item calldata item, uint256 itemGas) private returns (bool) {
        try IAuthorizedTransfers(token).transferWithAuthorization{gas: itemGas}(
            item.from,
            to,
            item.value,
            item.validAfter,
            item.validBefore,
            item.nonce,
            uint8(item.signature[64]),
            bytes32(item.signature[0:32]),
            bytes32(item.signature[32:64])
        ) {
            return true;
        } catch {
            return false;
        }
    }

    function _payInBytes(address token, address to, Item calldata item, uint256 itemGas) private returns (bool) {
        try IAuthorizedTransfers(token).transferWithAuthorization{gas: itemGas}(
            item.from, to, item.value, item.validAfter, item.validBefore, item.nonce, item.signature
        ) {
            return true;
        } catch {
            return false;
        }
    }
}
