// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";
import {SafeERC20} from "@openzeppelin/contracts/token/ERC20/utils/SafeERC20.sol";
import {Math} from "@openzeppelin/contracts/utils/math/Math.sol";

interface IAuthorizedPayment {
    function receiveWithAuthorization(
        address from,
        address to,
        uint256 value,
        uint256 validAfter,
        uint256 validBefore,
        bytes32 nonce,
        bytes memory signature
    ) external;
}

interface IBlockList {
    function isBlacklisted(address account) external view returns (bool);
}

/// Divides one payment between a supplier, a commission and a service fee, in one transaction: all parts move or none.
/// It has no owner and keeps no money. Commission and fee are rounded down and the supplier has the rest, so the parts
/// sum to the gross amount to the last unit.
contract SettlementSplitter {
    using SafeERC20 for IERC20;

    struct Terms {
        address token;
        address supplier;
        address commissionRecipient;
        address serviceFeeRecipient;
        uint256 gross;
        uint16 commissionBps;
        uint16 serviceFeeBps;
        // The payer's own number of this settlement; in each token it can be used once.
        bytes32 settlementId;
    }

    struct Parts {
        uint256 supplier;
        uint256 commission;
        uint256 serviceFee;
    }

    uint256 public constant BASIS_POINTS = 10_000;

    /// By token first: a token of somebody's own making can only use up settlements in itself.
    mapping(address token => mapping(address payer => mapping(bytes32 settlementId => bool))) public isSettled;

    event SettlementSplit(
        address indexed payer,
        bytes32 indexed settlementId,
        address indexed supplier,
        address token,
        uint256 gross,
        uint256 supplierAmount,
        uint256 commissionAmount,
        uint256 serviceFeeAmount,
        address commissionRecipient,
        address serviceFeeRecipient
    );

    error GrossIsZero();
    error SharesExceedGross(uint256 commissionBps, uint256 serviceFeeBps);
    error RecipientNotAllowed(address recipient);
    error AccountBlocked(address account);
    error AlreadySettled(address payer, bytes32 settlementId);
    error MoneyLeftOver(uint256 balanceBefore, uint256 balanceAfter);

    /// Divides the caller's money, taken by its allowance. It goes straight to the recipients.
    function split(Terms calldata terms) external {
        Parts memory parts = _open(terms, msg.sender);
        IERC20 token = IERC20(terms.token);
        if (parts.supplier > 0) token.safeTransferFrom(msg.sender, terms.supplier, parts.supplier);
        if (parts.commission > 0) token.safeTransferFrom(msg.sender, terms.commissionRecipient, parts.commission);
        if (parts.serviceFee > 0) token.safeTransferFrom(msg.sender, terms.serviceFeeRecipient, parts.serviceFee);
    }

    /// Divides the money of a payer who signed an EIP-3009 ReceiveWithAuthorization to this contract over `gross`, with
    /// authorizationNonce(terms, payer) as its nonce. Anybody may submit it; other terms have another nonce, for which
    /// there is no signature.
    function splitWithAuthorization(
        Terms calldata terms,
        address payer,
        uint256 validAfter,
        uint256 validBefore,
        bytes calldata signature
    ) external {
        Parts memory parts = _open(terms, payer);
        IERC20 token = IERC20(terms.token);
        uint256 balanceBefore = token.balanceOf(address(this));
        bytes32 nonce = authorizationNonce(terms, payer);
        IAuthorizedPayment(terms.token)
            .receiveWithAuthorization(payer, address(this), terms.gross, validAfter, validBefore, nonce, signature);
        if (parts.supplier > 0) token.safeTransfer(terms.supplier, parts.supplier);
        if (parts.commission > 0) token.safeTransfer(terms.commissionRecipient, parts.commission);
        if (parts.serviceFee > 0) token.safeTransfer(terms.serviceFeeRecipient, parts.serviceFee);
        // For tokens that take a fee or give more than asked: neither a remainder nor somebody else's money.
        uint256 balanceAfter = token.balanceOf(address(this));
        if (balanceAfter != balanceBefore) revert MoneyLeftOver(balanceBefore, balanceAfter);
    }

    /// The nonce that binds a payer's signature to these terms, this contract and this chain.
    function authorizationNonce(Terms calldata terms, address payer) public view returns (bytes32) {
        return keccak256(abi.encode(block.chainid, address(this), payer, terms));
    }

    /// The three parts of `gross`.
    function partsOf(uint256 gross, uint256 commissionBps, uint256 serviceFeeBps)
        public
        pure
        returns (Parts memory parts)
    {
        if (gross == 0) revert GrossIsZero();
        if (commissionBps > BASIS_POINTS || serviceFeeBps > BASIS_POINTS - commissionBps) {
            revert SharesExceedGross(commissionBps, serviceFeeBps);
        }
        parts.commission = Math.mulDiv(gross, commissionBps, BASIS_POINTS);
        parts.serviceFee = Math.mulDiv(gross, serviceFeeBps, BASIS_POINTS);
        parts.supplier = gross - parts.commission - parts.serviceFee;
    }

    /// Checks the terms, marks them as settled and says so, before any money moves: a token that calls back finds the
    /// settlement done.
    function _open(Terms calldata terms, address payer) private returns (Parts memory parts) {
        if (isSettled[terms.token][payer][terms.settlementId]) revert AlreadySettled(payer, terms.settlementId);
        parts = partsOf(terms.gross, terms.commissionBps, terms.serviceFeeBps);
        _requireNotBlocked(terms.token, payer);
        _requireRecipient(terms.token, terms.supplier);
        _requireRecipient(terms.token, terms.commissionRecipient);
        _requireRecipient(terms.token, terms.serviceFeeRecipient);
        isSettled[terms.token][payer][terms.settlementId] = true;
        emit SettlementSplit(
            payer,
            terms.settlementId,
            terms.supplier,
            terms.token,
            terms.gross,
            parts.supplier,
            parts.commission,
            parts.serviceFee,
            terms.commissionRecipient,
            terms.serviceFeeRecipient
        );
    }

    function _requireRecipient(address token, address recipient) private view {
        if (recipient == address(0) || recipient == address(this) || recipient == token) {
            revert RecipientNotAllowed(recipient);
        }
        _requireNotBlocked(token, recipient);
    }

    /// The token would refuse too, without saying which of the four it means. A token without a block list blocks nobody.
    function _requireNotBlocked(address token, address account) private view {
        (bool success, bytes memory answer) = token.staticcall(abi.encodeCall(IBlockList.isBlacklisted, (account)));
        if (success && answer.length == 32 && abi.decode(answer, (uint256)) == 1) revert AccountBlocked(account);
    }
}
