// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";
import {ReentrancyGuard} from "@openzeppelin/contracts/utils/ReentrancyGuard.sol";

/// Pays in one token, and lets no recipient stand in the way of another: a payment that the token refuses (a blocked
/// recipient, a paused token) waits for its recipient, and whoever called goes on.
abstract contract PushedPayments is ReentrancyGuard {
    /// What one payment may use that is pushed in the middle of a step. Three times what the tokens need.
    uint256 public constant PAYMENT_GAS = 100_000;

    IERC20 public immutable token;

    /// Everything that is owed to anybody: no less than this is in the contract. More is a donation, and stays.
    uint256 public totalLiability;
    mapping(address account => uint256) public withdrawable;

    event PaymentMade(bytes32 indexed tripId, address indexed to, uint256 amount);
    event PaymentWaiting(bytes32 indexed tripId, address indexed to, uint256 amount);
    event Withdrawn(address indexed account, uint256 amount);

    error AddressNotAllowed(address account);
    error NothingWaiting(address account);
    error PaymentRefused(address account, uint256 amount);
    error NotEnoughGas();

    constructor(address token_) {
        if (token_.code.length == 0) revert AddressNotAllowed(token_);
        token = IERC20(token_);
    }

    /// Anybody may have paid to `account` what waits for it. All gas of the call goes to the token, as one that needs more
    /// than a pushed payment may use would never pay anybody. Nothing else can fail here, so nobody gains by being sparing:
    /// a payment that runs out of gas is refused, and waits as before.
    function withdraw(address account) external nonReentrant {
        uint256 amount = withdrawable[account];
        if (amount == 0) revert NothingWaiting(account);
        withdrawable[account] = 0;
        totalLiability -= amount;
        emit Withdrawn(account, amount);
        if (!_tryTransfer(account, amount, gasleft())) revert PaymentRefused(account, amount);
    }

    /// Pays what was a liability until now. Only behind a guard against reentrance, and after every other effect.
    function _pay(bytes32 tripId, address to, uint256 amount) internal {
        if (amount == 0) return;
        totalLiability -= amount;
        // A call gets at most 63 of 64 parts of what is left. Nobody makes a payment wait by being sparing.
        if (gasleft() - gasleft() / 64 < PAYMENT_GAS) revert NotEnoughGas();
        if (_tryTransfer(to, amount, PAYMENT_GAS)) {
            emit PaymentMade(tripId, to, amount);
        } else {
            withdrawable[to] += amount;
            totalLiability += amount;
            emit PaymentWaiting(tripId, to, amount);
        }
    }

    function _requirePayable(address account) internal view {
        if (account == address(0) || account == address(this) || account == address(token)) {
            revert AddressNotAllowed(account);
        }
    }

    /// A token that answers nothing has paid unless it reverts; one that answers anything but true has not. What it
    /// answers is read up to one word, so that it cannot be made expensive.
    function _tryTransfer(address to, uint256 amount, uint256 gasLimit) private returns (bool isPaid) {
        address target = address(token);
        bytes memory data = abi.encodeCall(IERC20.transfer, (to, amount));
        assembly ("memory-safe") {
            mstore(0x00, 0)
            isPaid := call(gasLimit, target, 0, add(data, 0x20), mload(data), 0x00, 0x20)
            isPaid := and(isPaid, or(iszero(returndatasize()), and(eq(mload(0x00), 1), gt(returndatasize(), 0x1f))))
        }
    }
}
