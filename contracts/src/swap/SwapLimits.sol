// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {Ownable2Step} from "@openzeppelin/contracts/access/Ownable2Step.sol";
import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";
import {SafeERC20} from "@openzeppelin/contracts/token/ERC20/utils/SafeERC20.sol";

/// The owner's limits of a swap pool, and the owner's inventory. The inventory is what the pool holds of both tokens; a plain
/// transfer adds to it, and the owner can take it out at any time, also during a pause.
abstract contract SwapLimits is Ownable2Step {
    using SafeERC20 for IERC20;

    struct Limits {
        // The most of it that one swap takes in.
        uint256 mostPerSwap;
        // What swaps leave in the pool.
        uint256 leastInventory;
    }

    uint256 public constant BASIS_POINTS = 10_000;
    uint256 public constant MOST_SPREAD_BPS = 500;

    address public immutable usdc;
    address public immutable eurc;
    address public quoter;
    bool public paused;
    uint256 public spreadBps;
    /// US dollars for one euro, times 1e18. A pool starts with an empty band and swaps nothing.
    uint256 public leastRate;
    uint256 public mostRate;
    mapping(address token => Limits) public limits;

    event QuoterChanged(address indexed oldQuoter, address indexed newQuoter);
    event PauseChanged(bool paused);
    event TermsChanged(uint256 spreadBps, uint256 leastRate, uint256 mostRate);
    event LimitsChanged(address indexed token, uint256 mostPerSwap, uint256 leastInventory);
    event InventoryTaken(address indexed token, address indexed to, uint256 amount);

    error Paused();
    error AddressNotAllowed(address account);
    error TokenNotSwapped(address token);
    error TermsNotAllowed(uint256 spreadBps, uint256 leastRate, uint256 mostRate);
    error RateOutsideBand(uint256 rate, uint256 leastRate, uint256 mostRate);
    error AmountNotAllowed(uint256 amountIn, uint256 mostPerSwap);
    error InventoryTooLow(address token, uint256 available, uint256 amountOut);

    constructor(address usdc_, address eurc_, address quoter_) {
        if (usdc_ == eurc_) revert AddressNotAllowed(eurc_);
        usdc = usdc_;
        eurc = eurc_;
        _setQuoter(quoter_);
    }

    modifier onlySwapped(address token) {
        _requireSwapped(token);
        _;
    }

    /// What swaps may still pay out of `token`.
    function availableInventory(address token) public view onlySwapped(token) returns (uint256) {
        uint256 balance = IERC20(token).balanceOf(address(this));
        uint256 least = limits[token].leastInventory;
        return balance > least ? balance - least : 0;
    }

    function setQuoter(address newQuoter) external onlyOwner {
        _setQuoter(newQuoter);
    }

    function setPaused(bool isPaused) external onlyOwner {
        paused = isPaused;
        emit PauseChanged(isPaused);
    }

    function setTerms(uint256 newSpreadBps, uint256 newLeastRate, uint256 newMostRate) external onlyOwner {
        bool isBand = newLeastRate > 0 && newLeastRate <= newMostRate && newMostRate <= type(uint128).max;
        if (newSpreadBps > MOST_SPREAD_BPS || !isBand) revert TermsNotAllowed(newSpreadBps, newLeastRate, newMostRate);
        spreadBps = newSpreadBps;
        leastRate = newLeastRate;
        mostRate = newMostRate;
        emit TermsChanged(newSpreadBps, newLeastRate, newMostRate);
    }

    function setLimits(address token, uint256 mostPerSwap, uint256 leastInventory)
        external
        onlyOwner
        onlySwapped(token)
    {
        limits[token] = Limits(mostPerSwap, leastInventory);
        emit LimitsChanged(token, mostPerSwap, leastInventory);
    }

    /// Any token: also one that was sent here by mistake.
    function takeInventory(address token, address to, uint256 amount) external onlyOwner {
        emit InventoryTaken(token, to, amount);
        IERC20(token).safeTransfer(to, amount);
    }

    function _requireOpen(address tokenIn, uint256 amountIn, uint256 rate) internal view {
        if (paused) revert Paused();
        _requireSwapped(tokenIn);
        if (rate < leastRate || rate > mostRate) revert RateOutsideBand(rate, leastRate, mostRate);
        uint256 most = limits[tokenIn].mostPerSwap;
        if (amountIn == 0 || amountIn > most) revert AmountNotAllowed(amountIn, most);
    }

    function _requireInventory(address tokenOut, uint256 amountOut) internal view {
        uint256 available = availableInventory(tokenOut);
        if (amountOut > available) revert InventoryTooLow(tokenOut, available, amountOut);
    }

    function _otherToken(address token) internal view returns (address) {
        return token == usdc ? eurc : usdc;
    }

    function _requireSwapped(address token) private view {
        if (token != usdc && token != eurc) revert TokenNotSwapped(token);
    }

    function _setQuoter(address newQuoter) private {
        if (newQuoter == address(0)) revert AddressNotAllowed(newQuoter);
        emit QuoterChanged(quoter, newQuoter);
        quoter = newQuoter;
    }
}
