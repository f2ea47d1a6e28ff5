// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {Stablecoin} from "../../src/Stablecoin.sol";
import {SwapPool} from "../../src/swap/SwapPool.sol";
import {SwapFixture} from "../support/SwapFixture.sol";
import {vm} from "../support/Vm.sol";

/// Swaps in both directions at any rate in the band, while the owner changes terms and inventory and others try to take it.
contract SwapHandler is SwapFixture {
    uint256 private constant LARGEST_GIFT = 10_000e6;

    uint256 public belowMinimum;
    uint256 public belowLeastInventory;
    uint256 public aboveRate;
    uint256 public unquoted;
    uint256 public usedTwice;
    uint256 public swappedInPause;
    uint256 public swaps;
    mapping(Stablecoin coin => uint256) public expectedInventory;
    uint256 private nextQuote = 1;
    SwapPool.Quote[] private used;

    constructor() {
        setUp();
        expectedInventory[token] = INVENTORY;
        expectedInventory[eurc] = INVENTORY;
    }

    function swap(uint256 amountIn, uint256 rate, bool isInEuros) external {
        Stablecoin coinIn = isInEuros ? eurc : token;
        Stablecoin coinOut = isInEuros ? token : eurc;
        amountIn = 2 + amountIn % (MOST_PER_SWAP / 100);
        rate = 1e18 + rate % (0.2e18 + 1);
        refill(coinOut, LEAST_INVENTORY + 2 * amountIn);
        fundTrader(coinIn, amountIn);
        SwapPool.Quote memory quote = quoteFor(coinIn, amountIn, bytes32(nextQuote++));
        quote.rate = rate;
        uint256 minimum = pool.amountOutFor(address(coinIn), amountIn, rate);
        uint256 before = coinOut.balanceOf(RECIPIENT);
        uint256 amountOut = swapAs(ALICE, quote, orderFor(minimum));
        if (coinOut.balanceOf(RECIPIENT) - before != amountOut || amountOut < minimum) belowMinimum++;
        uint256 most = isInEuros ? amountIn * rate / 1e18 : amountIn * 1e18 / rate;
        if (amountOut > most) aboveRate++;
        if (coinOut.balanceOf(address(pool)) < LEAST_INVENTORY) belowLeastInventory++;
        expectedInventory[coinIn] += amountIn;
        expectedInventory[coinOut] -= amountOut;
        used.push(quote);
        swaps++;
    }

    function give(uint256 amount, bool isInEuros) external {
        Stablecoin coin = isInEuros ? eurc : token;
        give(coin, address(pool), 1 + amount % LARGEST_GIFT);
        expectedInventory[coin] += 1 + amount % LARGEST_GIFT;
    }

    function takeInventory(uint256 amount, bool isInEuros) external {
        Stablecoin coin = isInEuros ? eurc : token;
        uint256 taken = amount % (coin.balanceOf(address(pool)) + 1);
        vm.prank(OWNER);
        pool.takeInventory(address(coin), OWNER, taken);
        expectedInventory[coin] -= taken;
    }

    function setSpread(uint256 spreadBps) external {
        vm.prank(OWNER);
        pool.setTerms(spreadBps % 501, 1e18, 1.2e18);
    }

    /// Asks for all that is there, with whatever is left in the pool.
    function attemptToEmpty(uint256 amountIn, bool isInEuros) external {
        Stablecoin coinIn = isInEuros ? eurc : token;
        Stablecoin coinOut = isInEuros ? token : eurc;
        amountIn = 1 + amountIn % MOST_PER_SWAP;
        uint256 before = coinOut.balanceOf(address(pool));
        uint256 beforeIn = coinIn.balanceOf(address(pool));
        fundTrader(coinIn, amountIn);
        SwapPool.Quote memory quote = quoteFor(coinIn, amountIn, bytes32(nextQuote++));
        isTaken(quote, signQuote(QUOTER_KEY, quote), orderFor(0));
        uint256 afterwards = coinOut.balanceOf(address(pool));
        if (afterwards < before && afterwards < LEAST_INVENTORY) belowLeastInventory++;
        expectedInventory[coinIn] += coinIn.balanceOf(address(pool)) - beforeIn;
        expectedInventory[coinOut] -= before - afterwards;
    }

    function attemptWithoutQuote(uint256 amountIn, bool isInEuros) external {
        Stablecoin coinIn = isInEuros ? eurc : token;
        if (trySwap(coinIn, 2 + amountIn % MOST_PER_SWAP, BOB_KEY, 0)) unquoted++;
    }

    function attemptAboveMinimum(uint256 amountIn, bool isInEuros) external {
        Stablecoin coinIn = isInEuros ? eurc : token;
        amountIn = 2 + amountIn % (MOST_PER_SWAP / 100);
        uint256 minimum = pool.amountOutFor(address(coinIn), amountIn, RATE) + 1;
        if (trySwap(coinIn, amountIn, QUOTER_KEY, minimum)) belowMinimum++;
    }

    function attemptReplay(uint256 seed) external {
        vm.assume(used.length > 0);
        SwapPool.Quote memory quote = used[seed % used.length];
        Stablecoin coinIn = Stablecoin(quote.tokenIn);
        refill(quote.tokenIn == address(token) ? eurc : token, LEAST_INVENTORY + 2 * quote.amountIn);
        fundTrader(coinIn, quote.amountIn);
        if (isTaken(quote, signQuote(QUOTER_KEY, quote), orderFor(0))) usedTwice++;
    }

    function attemptInPause(uint256 amountIn, bool isInEuros) external {
        vm.prank(OWNER);
        pool.setPaused(true);
        if (trySwap(isInEuros ? eurc : token, 2 + amountIn % MOST_PER_SWAP, QUOTER_KEY, 0)) swappedInPause++;
        vm.prank(OWNER);
        pool.setPaused(false);
    }

    function inventoryIsExpected() external view returns (bool) {
        return token.balanceOf(address(pool)) == expectedInventory[token]
            && eurc.balanceOf(address(pool)) == expectedInventory[eurc];
    }

    function refill(Stablecoin coin, uint256 least) private {
        uint256 balance = coin.balanceOf(address(pool));
        if (balance >= least) return;
        give(coin, address(pool), least - balance);
        expectedInventory[coin] += least - balance;
    }

    function trySwap(Stablecoin coinIn, uint256 amountIn, uint256 quoterKey, uint256 minimum) private returns (bool) {
        refill(address(coinIn) == address(token) ? eurc : token, LEAST_INVENTORY + 2 * amountIn);
        fundTrader(coinIn, amountIn);
        SwapPool.Quote memory quote = quoteFor(coinIn, amountIn, bytes32(nextQuote++));
        return isTaken(quote, signQuote(quoterKey, quote), orderFor(minimum));
    }

    function isTaken(SwapPool.Quote memory quote, bytes memory signature, SwapPool.Order memory order)
        private
        returns (bool success)
    {
        vm.prank(ALICE);
        (success,) = address(pool).call(abi.encodeCall(pool.swap, (quote, signature, order)));
    }
}
