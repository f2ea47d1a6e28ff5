// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {Ownable} from "@openzeppelin/contracts/access/Ownable.sol";
import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";
import {IERC20Metadata} from "@openzeppelin/contracts/token/ERC20/extensions/IERC20Metadata.sol";
import {SafeERC20} from "@openzeppelin/contracts/token/ERC20/utils/SafeERC20.sol";
import {EIP712} from "@openzeppelin/contracts/utils/cryptography/EIP712.sol";
import {SignatureChecker} from "@openzeppelin/contracts/utils/cryptography/SignatureChecker.sol";
import {Math} from "@openzeppelin/contracts/utils/math/Math.sol";
import {IAuthorizedPayment} from "../SettlementSplitter.sol";
import {SwapLimits} from "./SwapLimits.sol";

/// Exchanges USDC and EURC from the operator's own inventory at a rate that the operator's quoter signed for one trader
/// and one amount. The signed rate is taken only within the owner's band, so a stolen quoter key costs no more than the
/// band is wide; the spread is the contract's own and shown to everybody.
contract SwapPool is SwapLimits, EIP712 {
    using SafeERC20 for IERC20;

    struct Quote {
        address trader;
        address tokenIn;
        uint256 amountIn;
        // US dollars for one euro, times 1e18.
        uint256 rate;
        uint256 expiresAt;
        // Each quote is good for one swap.
        bytes32 quoteId;
    }

    struct Order {
        uint256 minAmountOut;
        address recipient;
        uint256 deadline;
    }

    bytes32 public constant QUOTE_TYPEHASH = keccak256(
        "Quote(address trader,address tokenIn,uint256 amountIn,uint256 rate,uint256 expiresAt,bytes32 quoteId)"
    );
    uint256 private constant RATE_UNIT = 1e18;

    mapping(bytes32 quoteId => bool) public isUsed;

    event Swapped(
        address indexed trader,
        bytes32 indexed quoteId,
        address indexed recipient,
        address tokenIn,
        uint256 amountIn,
        uint256 amountOut,
        uint256 rate,
        uint256 spreadBps
    );

    error NotTheTrader(address trader);
    error QuoteUsed(bytes32 quoteId);
    error QuoteExpired(uint256 expiresAt);
    error QuoteNotSigned();
    error DeadlinePassed(uint256 deadline);
    error AmountOutTooLow(uint256 amountOut, uint256 minAmountOut);
    error RecipientNotAllowed(address recipient);
    error DecimalsDiffer();

    constructor(address usdc_, address eurc_, address owner, address quoter_)
        Ownable(owner)
        SwapLimits(usdc_, eurc_, quoter_)
        EIP712("SwapPool", "1")
    {
        if (IERC20Metadata(usdc_).decimals() != IERC20Metadata(eurc_).decimals()) {
            revert DecimalsDiffer();
        }
    }

    /// Takes the caller's money by allowance.
    function swap(Quote calldata quote, bytes calldata quoteSignature, Order calldata order)
        external
        returns (uint256 amountOut)
    {
        if (msg.sender != quote.trader) revert NotTheTrader(quote.trader);
        amountOut = _open(quote, quoteSignature, order);
        IERC20(quote.tokenIn).safeTransferFrom(msg.sender, address(this), quote.amountIn);
        _pay(quote, order, amountOut);
    }

    /// Takes the money of a trader who signed an EIP-3009 ReceiveWithAuthorization to this contract over the quote's amount,
    /// valid until the order's deadline, with authorizationNonce(quote, order) as its nonce. Anybody may submit it.
    function swapWithAuthorization(
        Quote calldata quote,
        bytes calldata quoteSignature,
        Order calldata order,
        bytes calldata traderSignature
    ) external returns (uint256 amountOut) {
        amountOut = _open(quote, quoteSignature, order);
        bytes32 nonce = authorizationNonce(quote, order);
        IAuthorizedPayment(quote.tokenIn)
            .receiveWithAuthorization(
                quote.trader, address(this), quote.amountIn, 0, order.deadline, nonce, traderSignature
            );
        _pay(quote, order, amountOut);
    }

    /// What a swap at this rate gives for `amountIn`, after the spread and rounded down.
    function amountOutFor(address tokenIn, uint256 amountIn, uint256 rate) public view returns (uint256) {
        uint256 share = BASIS_POINTS - spreadBps;
        return tokenIn == eurc
            ? Math.mulDiv(amountIn, rate * share, RATE_UNIT * BASIS_POINTS)
            : Math.mulDiv(amountIn, RATE_UNIT * share, rate * BASIS_POINTS);
    }

    /// The nonce that binds a trader's signature to this quote and order, this contract and this chain.
    function authorizationNonce(Quote calldata quote, Order calldata order) public view returns (bytes32) {
        return keccak256(abi.encode(block.chainid, address(this), quote, order));
    }

    /// Checks everything and uses up the quote, before any money moves.
    function _open(Quote calldata quote, bytes calldata quoteSignature, Order calldata order)
        private
        returns (uint256 amountOut)
    {
        _requireOpen(quote.tokenIn, quote.amountIn, quote.rate);
        if (block.timestamp >= order.deadline) revert DeadlinePassed(order.deadline);
        if (block.timestamp >= quote.expiresAt) revert QuoteExpired(quote.expiresAt);
        if (order.recipient == address(0) || order.recipient == address(this)) {
            revert RecipientNotAllowed(order.recipient);
        }
        if (isUsed[quote.quoteId]) revert QuoteUsed(quote.quoteId);
        isUsed[quote.quoteId] = true;
        bytes32 digest = _hashTypedDataV4(keccak256(abi.encode(QUOTE_TYPEHASH, quote)));
        if (!SignatureChecker.isValidSignatureNow(quoter, digest, quoteSignature)) revert QuoteNotSigned();
        amountOut = amountOutFor(quote.tokenIn, quote.amountIn, quote.rate);
        if (amountOut == 0 || amountOut < order.minAmountOut) revert AmountOutTooLow(amountOut, order.minAmountOut);
        _requireInventory(_otherToken(quote.tokenIn), amountOut);
    }

    function _pay(Quote calldata quote, Order calldata order, uint256 amountOut) private {
        emit Swapped(
            quote.trader,
            quote.quoteId,
            order.recipient,
            quote.tokenIn,
            quote.amountIn,
            amountOut,
            quote.rate,
            spreadBps
        );
        IERC20(_otherToken(quote.tokenIn)).safeTransfer(order.recipient, amountOut);
    }
}
