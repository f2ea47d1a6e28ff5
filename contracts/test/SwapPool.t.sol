// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {SwapLimits} from "../src/swap/SwapLimits.sol";
import {SwapPool} from "../src/swap/SwapPool.sol";
import {OddToken} from "./support/OddTokens.sol";
import {SwapFixture} from "./support/SwapFixture.sol";
import {vm} from "./support/Vm.sol";

contract SwapPoolTest is SwapFixture {
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

    function test_dollarsForEuros() public {
        fundTrader(eurc, 100e6);
        vm.expectEmit(address(pool));
        emit Swapped(ALICE, "id", RECIPIENT, address(eurc), 100e6, 107_784_000, RATE, 20);
        uint256 amountOut = swapAs(ALICE, quoteFor(eurc, 100e6, "id"), orderFor(107_784_000));
        vm.assertEq(amountOut, 107_784_000, "108 less 20 basis points");
        vm.assertEq(token.balanceOf(RECIPIENT), 107_784_000, "recipient");
        vm.assertEq(eurc.balanceOf(address(pool)), INVENTORY + 100e6, "inventory of euros");
        vm.assertEq(token.balanceOf(address(pool)), INVENTORY - 107_784_000, "inventory of dollars");
    }

    function test_eurosForDollars() public {
        fundTrader(token, 108e6);
        vm.assertEq(swapAs(ALICE, quoteFor(token, 108e6, "id"), orderFor(99_800_000)), 99_800_000, "amount");
        vm.assertEq(eurc.balanceOf(RECIPIENT), 99_800_000, "recipient");
    }

    /// Rounded down, and less than the quoted rate alone would give.
    function testFuzz_aSwapNeverPaysMoreThanTheRate(uint256 amountIn, uint256 rate, bool isInEuros) public {
        amountIn = 10 + amountIn % (MOST_PER_SWAP - 10);
        rate = 1e18 + rate % (0.2e18 + 1);
        SwapPool.Quote memory quote = quoteFor(isInEuros ? eurc : token, amountIn, "id");
        quote.rate = rate;
        fundTrader(isInEuros ? eurc : token, amountIn);
        uint256 amountOut = swapAs(ALICE, quote, orderFor(0));
        uint256 exact = isInEuros ? amountIn * rate * 9_980 : amountIn * 1e36 * 9_980;
        uint256 divisor = isInEuros ? 1e18 * 10_000 : rate * 1e18 * 10_000;
        vm.assertTrue(amountOut * divisor <= exact, "rounded down");
        vm.assertTrue((amountOut + 1) * divisor > exact, "by less than one unit");
    }

    /// There and back costs two spreads at least, whatever the rates within one quote are.
    function testFuzz_thereAndBackGainsNothing(uint256 amountIn) public {
        amountIn = 1_000 + amountIn % (90_000e6);
        fundTrader(token, amountIn);
        SwapPool.Order memory order = orderFor(0);
        order.recipient = ALICE;
        uint256 euros = swapAs(ALICE, quoteFor(token, amountIn, "there"), order);
        fundTrader(eurc, 1);
        uint256 dollars = swapAs(ALICE, quoteFor(eurc, euros, "back"), order);
        vm.assertTrue(dollars < amountIn, "gain");
    }

    function test_theTraderGetsAtLeastTheMinimum() public {
        fundTrader(eurc, 100e6);
        refuses(
            quoteFor(eurc, 100e6, "id"),
            orderFor(107_784_001),
            abi.encodeWithSelector(SwapPool.AmountOutTooLow.selector, 107_784_000, 107_784_001)
        );
        // A wider spread than when the quote was made.
        vm.prank(OWNER);
        pool.setTerms(21, 1e18, 1.2e18);
        refuses(
            quoteFor(eurc, 100e6, "id"),
            orderFor(107_784_000),
            abi.encodeWithSelector(SwapPool.AmountOutTooLow.selector, 107_773_200, 107_784_000)
        );
    }

    function test_dustThatGivesNothingIsRefused() public {
        fundTrader(token, 1);
        refuses(quoteFor(token, 1, "id"), orderFor(0), abi.encodeWithSelector(SwapPool.AmountOutTooLow.selector, 0, 0));
    }

    function test_aQuoteIsGoodOnce() public {
        fundTrader(eurc, 200e6);
        swapAs(ALICE, quoteFor(eurc, 100e6, "id"), orderFor(0));
        bytes memory used = abi.encodeWithSelector(SwapPool.QuoteUsed.selector, bytes32("id"));
        refuses(quoteFor(eurc, 100e6, "id"), orderFor(0), used);
        refuses(quoteFor(eurc, 50e6, "id"), orderFor(0), used);
    }

    function test_quoteAndOrderExpire() public {
        fundTrader(eurc, 200e6);
        SwapPool.Quote memory quote = quoteFor(eurc, 100e6, "id");
        vm.warp(NOW + 1 minutes);
        refuses(quote, orderFor(0), abi.encodeWithSelector(SwapPool.QuoteExpired.selector, NOW + 1 minutes));
        vm.warp(NOW + 2 minutes);
        refuses(quote, orderFor(0), abi.encodeWithSelector(SwapPool.DeadlinePassed.selector, NOW + 2 minutes));
        vm.warp(NOW + 1 minutes - 1);
        swapAs(ALICE, quote, orderFor(0));
    }

    function test_onlyTheTraderUsesItsQuote() public {
        SwapPool.Quote memory quote = quoteFor(eurc, 100e6, "id");
        bytes memory signature = signQuote(QUOTER_KEY, quote);
        vm.prank(STRANGER);
        vm.expectRevert(abi.encodeWithSelector(SwapPool.NotTheTrader.selector, ALICE));
        pool.swap(quote, signature, orderFor(0));
    }

    function testFuzz_anAlteredQuoteIsRefused(uint8 field, uint160 change) public {
        fundTrader(eurc, 200e6);
        fundTrader(token, 200e6);
        SwapPool.Quote memory quote = quoteFor(eurc, 100e6, "id");
        bytes memory signature = signQuote(QUOTER_KEY, quote);
        uint256 which = field % 6;
        if (which == 0) quote.trader = address(uint160(uint256(keccak256(abi.encode(change)))));
        if (which == 1) quote.tokenIn = address(token);
        if (which == 2) quote.amountIn = 1e6 + change % 99e6;
        if (which == 3) quote.rate = RATE + 1 + change % 0.1e18;
        if (which == 4) quote.expiresAt = NOW + 2 minutes + change;
        if (which == 5) quote.quoteId = keccak256(abi.encode(change));
        vm.prank(quote.trader);
        vm.expectRevert(SwapPool.QuoteNotSigned.selector);
        pool.swap(quote, signature, orderFor(0));
    }

    function test_onlyTheQuoterSigns() public {
        fundTrader(eurc, 200e6);
        SwapPool.Quote memory quote = quoteFor(eurc, 100e6, "id");
        bytes memory foreign = signQuote(BOB_KEY, quote);
        vm.prank(ALICE);
        vm.expectRevert(SwapPool.QuoteNotSigned.selector);
        pool.swap(quote, foreign, orderFor(0));
        vm.prank(OWNER);
        pool.setQuoter(BOB);
        refuses(quote, orderFor(0), abi.encodeWithSelector(SwapPool.QuoteNotSigned.selector));
        vm.prank(ALICE);
        pool.swap(quote, foreign, orderFor(0));
    }

    /// A quote of another pool or chain is none here.
    function test_aQuoteIsForThisPoolAndChain() public {
        fundTrader(eurc, 200e6);
        SwapPool.Quote memory quote = quoteFor(eurc, 100e6, "id");
        bytes memory signature = signQuote(QUOTER_KEY, quote);
        vm.chainId(block.chainid + 1);
        vm.prank(ALICE);
        vm.expectRevert(SwapPool.QuoteNotSigned.selector);
        pool.swap(quote, signature, orderFor(0));
    }

    function test_theRateIsWithinTheBand() public {
        fundTrader(eurc, 200e6);
        SwapPool.Quote memory quote = quoteFor(eurc, 100e6, "id");
        quote.rate = 1.2e18 + 1;
        bytes memory outside = abi.encodeWithSelector(SwapLimits.RateOutsideBand.selector, quote.rate, 1e18, 1.2e18);
        refuses(quote, orderFor(0), outside);
        quote.rate = 1e18 - 1;
        outside = abi.encodeWithSelector(SwapLimits.RateOutsideBand.selector, quote.rate, 1e18, 1.2e18);
        refuses(quote, orderFor(0), outside);
        quote.rate = 1.2e18;
        swapAs(ALICE, quote, orderFor(0));
    }

    function test_oneSwapTakesNoMoreThanItsLimit() public {
        fundTrader(eurc, MOST_PER_SWAP + 1);
        refuses(
            quoteFor(eurc, MOST_PER_SWAP + 1, "id"),
            orderFor(0),
            abi.encodeWithSelector(SwapLimits.AmountNotAllowed.selector, MOST_PER_SWAP + 1, MOST_PER_SWAP)
        );
        refuses(
            quoteFor(eurc, 0, "id"),
            orderFor(0),
            abi.encodeWithSelector(SwapLimits.AmountNotAllowed.selector, 0, MOST_PER_SWAP)
        );
        swapAs(ALICE, quoteFor(eurc, MOST_PER_SWAP, "id"), orderFor(0));
    }

    function test_theLeastInventoryStays() public {
        fundTrader(eurc, 100e6);
        vm.prank(OWNER);
        pool.takeInventory(address(token), OWNER, INVENTORY - LEAST_INVENTORY - 107_784_000 + 1);
        vm.assertEq(pool.availableInventory(address(token)), 107_783_999, "available");
        refuses(
            quoteFor(eurc, 100e6, "id"),
            orderFor(0),
            abi.encodeWithSelector(SwapLimits.InventoryTooLow.selector, address(token), 107_783_999, 107_784_000)
        );
        give(token, address(pool), 1);
        swapAs(ALICE, quoteFor(eurc, 100e6, "id"), orderFor(0));
        vm.assertEq(token.balanceOf(address(pool)), LEAST_INVENTORY, "what stays");
        vm.assertEq(pool.availableInventory(address(token)), 0, "available");
    }

    /// The least that must stay may be raised above what is there.
    function test_anInventoryBelowItsLeastIsNotAvailable() public {
        vm.prank(OWNER);
        pool.setLimits(address(token), MOST_PER_SWAP, INVENTORY + 1);
        vm.assertEq(pool.availableInventory(address(token)), 0, "available");
    }

    function test_recipientsThatLoseTheMoneyAreRefused() public {
        fundTrader(eurc, 100e6);
        SwapPool.Order memory order = orderFor(0);
        order.recipient = address(0);
        bytes memory reason = abi.encodeWithSelector(SwapPool.RecipientNotAllowed.selector, address(0));
        refuses(quoteFor(eurc, 100e6, "id"), order, reason);
        order.recipient = address(pool);
        reason = abi.encodeWithSelector(SwapPool.RecipientNotAllowed.selector, address(pool));
        refuses(quoteFor(eurc, 100e6, "id"), order, reason);
    }

    function test_otherTokensAreRefused() public {
        OddToken odd = new OddToken(0);
        SwapPool.Quote memory quote = quoteFor(eurc, 100e6, "id");
        quote.tokenIn = address(odd);
        bytes memory reason = abi.encodeWithSelector(SwapLimits.TokenNotSwapped.selector, address(odd));
        refuses(quote, orderFor(0), reason);
        vm.prank(OWNER);
        vm.expectRevert(reason);
        pool.setLimits(address(odd), 1, 1);
        vm.expectRevert(reason);
        pool.availableInventory(address(odd));
    }

    /// A refusal of the token moves nothing and leaves the quote good.
    function test_aRefusedPaymentLeavesTheQuoteGood() public {
        SwapPool.Quote memory quote = quoteFor(eurc, 100e6, "id");
        refuses(
            quote, orderFor(0), abi.encodeWithSignature("Error(string)", "ERC20: transfer amount exceeds allowance")
        );
        fundTrader(eurc, 100e6);
        blockAccount(RECIPIENT);
        bytes memory blocked = abi.encodeWithSignature("Error(string)", "Blacklistable: account is blacklisted");
        refuses(quote, orderFor(0), blocked);
        vm.assertEq(eurc.balanceOf(ALICE), 100e6, "not taken");
        vm.prank(ADMINISTRATOR);
        token.unBlacklist(RECIPIENT);
        swapAs(ALICE, quote, orderFor(0));
    }

    function test_aPauseStopsSwapsAndNotTheOwner() public {
        fundTrader(eurc, 100e6);
        vm.prank(OWNER);
        pool.setPaused(true);
        refuses(quoteFor(eurc, 100e6, "id"), orderFor(0), abi.encodeWithSelector(SwapLimits.Paused.selector));
        vm.prank(OWNER);
        pool.takeInventory(address(token), OWNER, INVENTORY);
        vm.prank(OWNER);
        pool.takeInventory(address(eurc), OWNER, INVENTORY);
        vm.assertEq(token.balanceOf(OWNER), INVENTORY, "dollars");
        vm.assertEq(eurc.balanceOf(OWNER), INVENTORY, "euros");
        give(token, address(pool), INVENTORY);
        vm.prank(OWNER);
        pool.setPaused(false);
        swapAs(ALICE, quoteFor(eurc, 100e6, "id"), orderFor(0));
    }

    function test_onlyTheOwnerChangesAnything() public {
        vm.expectRevert();
        pool.setQuoter(STRANGER);
        vm.expectRevert();
        pool.setPaused(true);
        vm.expectRevert();
        pool.setTerms(0, 1, 1);
        vm.expectRevert();
        pool.setLimits(address(token), 1, 1);
        vm.expectRevert();
        pool.takeInventory(address(token), STRANGER, 1);
    }

    function test_impossibleSettingsAreRefused() public {
        refusesTerms(501, 1e18, 1.2e18);
        refusesTerms(20, 0, 1.2e18);
        refusesTerms(20, 1.2e18, 1e18);
        refusesTerms(20, 1e18, uint256(type(uint128).max) + 1);
        vm.prank(OWNER);
        vm.expectRevert(abi.encodeWithSelector(SwapLimits.AddressNotAllowed.selector, address(0)));
        pool.setQuoter(address(0));
        vm.expectRevert(abi.encodeWithSelector(SwapLimits.AddressNotAllowed.selector, address(token)));
        new SwapPool(address(token), address(token), OWNER, BOB);
        OddToken odd = new OddToken(0);
        vm.expectRevert(SwapPool.DecimalsDiffer.selector);
        new SwapPool(address(token), address(odd), OWNER, BOB);
    }

    /// Until its owner sets a band and limits, a new pool swaps nothing.
    function test_aNewPoolSwapsNothing() public {
        pool = new SwapPool(address(token), address(eurc), OWNER, vm.addr(QUOTER_KEY));
        give(token, address(pool), INVENTORY);
        fundTrader(eurc, 100e6);
        bytes memory outside = abi.encodeWithSelector(SwapLimits.RateOutsideBand.selector, RATE, 0, 0);
        refuses(quoteFor(eurc, 100e6, "id"), orderFor(0), outside);
    }

    function refuses(SwapPool.Quote memory quote, SwapPool.Order memory order, bytes memory reason) private {
        bytes memory signature = signQuote(QUOTER_KEY, quote);
        vm.prank(ALICE);
        vm.expectRevert(reason);
        pool.swap(quote, signature, order);
    }

    function refusesTerms(uint256 spreadBps, uint256 leastRate, uint256 mostRate) private {
        vm.prank(OWNER);
        vm.expectRevert(abi.encodeWithSelector(SwapLimits.TermsNotAllowed.selector, spreadBps, leastRate, mostRate));
        pool.setTerms(spreadBps, leastRate, mostRate);
    }
}

/// For wallets without gas.
contract SwapPoolSignedTest is SwapFixture {
    function test_anybodySubmitsWhatTheTraderSigned() public {
        give(eurc, ALICE, 100e6);
        SwapPool.Quote memory quote = quoteFor(eurc, 100e6, "id");
        SwapPool.Order memory order = orderFor(90e6);
        submitAs(STRANGER, quote, order, signOrder(ALICE_KEY, quote, order));
        vm.assertEq(token.balanceOf(RECIPIENT), 107_784_000, "recipient");
        vm.assertEq(eurc.balanceOf(ALICE), 0, "trader");
    }

    function testFuzz_changedOrdersAreRefused(uint8 field, uint160 change) public {
        give(eurc, ALICE, 100e6);
        SwapPool.Quote memory quote = quoteFor(eurc, 100e6, "id");
        SwapPool.Order memory order = orderFor(90e6);
        bytes memory signature = signOrder(ALICE_KEY, quote, order);
        uint256 which = field % 4;
        if (which == 0) order.minAmountOut = change % 90e6;
        if (which == 1) order.recipient = address(uint160(uint256(keccak256(abi.encode(change)))));
        if (which == 2) order.deadline = NOW + 3 minutes + change;
        // Another quote of the same amount, at a worse rate.
        if (which == 3) quote.rate = 1e18 + change % 0.07e18;
        bytes memory quoteSignature = signQuote(QUOTER_KEY, quote);
        vm.expectRevert("FiatTokenV2: invalid signature");
        pool.swapWithAuthorization(quote, quoteSignature, order, signature);
    }

    function test_itWorksOnce() public {
        give(eurc, ALICE, 200e6);
        SwapPool.Quote memory quote = quoteFor(eurc, 100e6, "id");
        SwapPool.Order memory order = orderFor(90e6);
        bytes memory signature = signOrder(ALICE_KEY, quote, order);
        submitAs(STRANGER, quote, order, signature);
        bytes memory quoteSignature = signQuote(QUOTER_KEY, quote);
        vm.expectRevert(abi.encodeWithSelector(SwapPool.QuoteUsed.selector, bytes32("id")));
        pool.swapWithAuthorization(quote, quoteSignature, order, signature);
    }

    function test_theNonceIsOfThisPoolAndChain() public {
        SwapPool.Quote memory quote = quoteFor(eurc, 100e6, "id");
        bytes32 nonce = pool.authorizationNonce(quote, orderFor(0));
        SwapPool other = new SwapPool(address(token), address(eurc), OWNER, BOB);
        vm.assertTrue(other.authorizationNonce(quote, orderFor(0)) != nonce, "pool");
        vm.chainId(block.chainid + 1);
        vm.assertTrue(pool.authorizationNonce(quote, orderFor(0)) != nonce, "chain");
    }

    function submitAs(address relayer, SwapPool.Quote memory quote, SwapPool.Order memory order, bytes memory signature)
        private
    {
        bytes memory quoteSignature = signQuote(QUOTER_KEY, quote);
        vm.prank(relayer);
        pool.swapWithAuthorization(quote, quoteSignature, order, signature);
    }

    function signOrder(uint256 key, SwapPool.Quote memory quote, SwapPool.Order memory order)
        private
        view
        returns (bytes memory)
    {
        Authorization memory given = Authorization(
            ALICE, address(pool), quote.amountIn, 0, order.deadline, pool.authorizationNonce(quote, order)
        );
        bytes32 domain = eurc.DOMAIN_SEPARATOR();
        (uint8 v, bytes32 r, bytes32 s) =
            vm.sign(key, keccak256(abi.encodePacked(hex"1901", domain, receiveHash(given))));
        return abi.encodePacked(r, s, v);
    }
}
