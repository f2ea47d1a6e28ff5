// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";
import {SafeERC20} from "@openzeppelin/contracts/token/ERC20/utils/SafeERC20.sol";
import {IAuthorizedPayment} from "../SettlementSplitter.sol";

interface ITokenMessengerV2 {
    function depositForBurn(
        uint256 amount,
        uint32 destinationDomain,
        bytes32 mintRecipient,
        address burnToken,
        bytes32 destinationCaller,
        uint256 maxFee,
        uint32 minFinalityThreshold
    ) external;
}

/// Starts a transfer to another chain for a wallet without gas. TokenMessengerV2 takes an allowance only; here the payer
/// signs an EIP-3009 ReceiveWithAuthorization whose nonce binds every term, and anybody may submit it. It has no owner and
/// keeps no money, and the token lets each nonce be used once.
contract SignedBurns {
    using SafeERC20 for IERC20;

    struct Terms {
        address token;
        uint256 amount;
        uint32 destinationDomain;
        bytes32 mintRecipient;
        bytes32 destinationCaller;
        uint256 maxFee;
        uint32 minFinalityThreshold;
        // The payer's own number of this transfer.
        bytes32 transferId;
    }

    ITokenMessengerV2 public immutable tokenMessenger;

    /// The message itself names this contract as its sender, not the payer.
    event BurnedFor(address indexed payer, bytes32 indexed transferId, address indexed token, uint256 amount);

    error MoneyLeftOver(uint256 balanceBefore, uint256 balanceAfter);

    constructor(ITokenMessengerV2 tokenMessenger_) {
        tokenMessenger = tokenMessenger_;
    }

    function depositForBurnWithAuthorization(
        Terms calldata terms,
        address payer,
        uint256 validAfter,
        uint256 validBefore,
        bytes calldata signature
    ) external {
        IERC20 token = IERC20(terms.token);
        uint256 balanceBefore = token.balanceOf(address(this));
        bytes32 nonce = authorizationNonce(terms, payer);
        IAuthorizedPayment(terms.token)
            .receiveWithAuthorization(payer, address(this), terms.amount, validAfter, validBefore, nonce, signature);
        _burn(terms);
        // Neither a remainder nor what somebody sent here by mistake.
        uint256 balanceAfter = token.balanceOf(address(this));
        if (balanceAfter != balanceBefore) revert MoneyLeftOver(balanceBefore, balanceAfter);
        emit BurnedFor(payer, terms.transferId, terms.token, terms.amount);
    }

    /// The nonce that binds a payer's signature to these terms, this contract and this chain.
    function authorizationNonce(Terms calldata terms, address payer) public view returns (bytes32) {
        return keccak256(abi.encode(block.chainid, address(this), payer, terms));
    }

    function _burn(Terms calldata terms) private {
        IERC20(terms.token).forceApprove(address(tokenMessenger), terms.amount);
        tokenMessenger.depositForBurn(
            terms.amount,
            terms.destinationDomain,
            terms.mintRecipient,
            terms.token,
            terms.destinationCaller,
            terms.maxFee,
            terms.minFinalityThreshold
        );
    }
}
