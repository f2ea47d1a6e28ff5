// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {Ownable} from "@openzeppelin/contracts/access/Ownable.sol";
import {Faucet} from "../src/Faucet.sol";
import {StablecoinFixture} from "./support/StablecoinFixture.sol";
import {vm} from "./support/Vm.sol";

contract FaucetTest is StablecoinFixture {
    event Dripped(address indexed token, address indexed recipient, uint256 amount, address indexed requestedBy);
    event DripConfigured(
        address indexed token, uint128 amount, uint128 dailyLimit, uint64 cooldownSeconds, bool isOpen
    );

    uint128 private constant AMOUNT = 10_000_000;
    uint128 private constant DAILY_LIMIT = 25_000_000;
    uint64 private constant COOLDOWN_SECONDS = 2 hours;
    uint256 private constant NEXT_MIDNIGHT = (NOW / 1 days + 1) * 1 days;

    Faucet private faucet;

    function setUp() public override {
        super.setUp();
        faucet = new Faucet(ADMINISTRATOR);
        vm.prank(ADMINISTRATOR);
        token.configureMinter(address(faucet), 1e12);
        configure(AMOUNT, DAILY_LIMIT, COOLDOWN_SECONDS);
    }

    function configure(uint128 amount, uint128 dailyLimit, uint64 cooldownSeconds) private {
        vm.prank(ADMINISTRATOR);
        faucet.configureDrip(address(token), amount, dailyLimit, cooldownSeconds);
    }

    function test_drips() public {
        vm.assertEq(faucet.availableAt(address(token), ALICE), 0, "no drip yet");
        vm.expectEmit(address(faucet));
        emit Dripped(address(token), ALICE, AMOUNT, STRANGER);
        vm.prank(STRANGER);
        vm.assertEq(faucet.drip(address(token), ALICE), AMOUNT, "answer");
        vm.assertEq(token.balanceOf(ALICE), AMOUNT, "recipient");
        vm.assertEq(token.balanceOf(address(faucet)), 0, "faucet");
        vm.assertEq(faucet.availableAt(address(token), ALICE), NOW + COOLDOWN_SECONDS, "next");
        vm.assertEq(faucet.remainingToday(address(token)), DAILY_LIMIT - AMOUNT, "rest of the day");
    }

    function testFuzz_waitsForTheCooldown(uint64 laterSeconds) public {
        uint256 waited = uint256(laterSeconds) % (2 * COOLDOWN_SECONDS);
        configure(AMOUNT, type(uint128).max, COOLDOWN_SECONDS);
        faucet.drip(address(token), ALICE);
        vm.warp(NOW + waited);
        if (waited < COOLDOWN_SECONDS) {
            vm.expectRevert(abi.encodeWithSelector(Faucet.CoolingDown.selector, ALICE, NOW + COOLDOWN_SECONDS));
        }
        faucet.drip(address(token), ALICE);
        vm.assertEq(token.balanceOf(ALICE), waited < COOLDOWN_SECONDS ? AMOUNT : 2 * AMOUNT, "balance");
    }

    function test_theCooldownEndsToTheSecond() public {
        faucet.drip(address(token), ALICE);
        vm.warp(NOW + COOLDOWN_SECONDS - 1);
        vm.expectRevert(abi.encodeWithSelector(Faucet.CoolingDown.selector, ALICE, NOW + COOLDOWN_SECONDS));
        faucet.drip(address(token), ALICE);
        vm.warp(NOW + COOLDOWN_SECONDS);
        faucet.drip(address(token), ALICE);
        vm.assertEq(token.balanceOf(ALICE), 2 * AMOUNT, "balance");
    }

    function test_theDailyLimitIsGivenToTheLastUnit() public {
        configure(AMOUNT, 2 * AMOUNT, COOLDOWN_SECONDS);
        faucet.drip(address(token), ALICE);
        faucet.drip(address(token), BOB);
        vm.assertEq(faucet.remainingToday(address(token)), 0, "all of it");
        vm.expectRevert(abi.encodeWithSelector(Faucet.DailyLimitReached.selector, 0, NEXT_MIDNIGHT));
        faucet.drip(address(token), CAROL);
    }

    function test_theCooldownIsOfOneRecipient() public {
        faucet.drip(address(token), ALICE);
        faucet.drip(address(token), BOB);
        vm.assertEq(token.balanceOf(BOB), AMOUNT, "the other");
    }

    function test_theDailyLimitIsOfAllRecipients() public {
        faucet.drip(address(token), ALICE);
        faucet.drip(address(token), BOB);
        bytes memory reason =
            abi.encodeWithSelector(Faucet.DailyLimitReached.selector, DAILY_LIMIT - 2 * AMOUNT, NEXT_MIDNIGHT);
        vm.expectRevert(reason);
        faucet.drip(address(token), CAROL);
        vm.warp(NEXT_MIDNIGHT - 1);
        vm.expectRevert(reason);
        faucet.drip(address(token), CAROL);
        vm.warp(NEXT_MIDNIGHT);
        faucet.drip(address(token), CAROL);
        vm.assertEq(faucet.remainingToday(address(token)), DAILY_LIMIT - AMOUNT, "a new day");
    }

    function test_aLimitLoweredBelowWhatWasGiven() public {
        faucet.drip(address(token), ALICE);
        faucet.drip(address(token), BOB);
        configure(AMOUNT, AMOUNT, COOLDOWN_SECONDS);
        vm.assertEq(faucet.remainingToday(address(token)), 0, "nothing left");
        vm.expectRevert(abi.encodeWithSelector(Faucet.DailyLimitReached.selector, 0, NEXT_MIDNIGHT));
        faucet.drip(address(token), CAROL);
    }

    function test_refusesTokensItDoesNotOffer() public {
        vm.expectRevert(abi.encodeWithSelector(Faucet.TokenNotOffered.selector, CAROL));
        faucet.drip(CAROL, ALICE);
        vm.assertEq(faucet.remainingToday(CAROL), 0, "nothing of it");
        vm.expectEmit(address(faucet));
        emit DripConfigured(address(token), AMOUNT, DAILY_LIMIT, COOLDOWN_SECONDS, false);
        vm.prank(ADMINISTRATOR);
        faucet.closeDrip(address(token));
        vm.expectRevert(abi.encodeWithSelector(Faucet.TokenNotOffered.selector, token));
        faucet.drip(address(token), ALICE);
        vm.assertEq(faucet.remainingToday(address(token)), 0, "closed");
        vm.prank(ADMINISTRATOR);
        vm.expectRevert(abi.encodeWithSelector(Faucet.TokenNotOffered.selector, token));
        faucet.closeDrip(address(token));
    }

    function test_closingDoesNotShortenAWait() public {
        faucet.drip(address(token), ALICE);
        vm.prank(ADMINISTRATOR);
        faucet.closeDrip(address(token));
        configure(AMOUNT, DAILY_LIMIT, COOLDOWN_SECONDS);
        vm.expectRevert(abi.encodeWithSelector(Faucet.CoolingDown.selector, ALICE, NOW + COOLDOWN_SECONDS));
        faucet.drip(address(token), ALICE);
    }

    function test_refusesRecipients() public {
        vm.expectRevert(abi.encodeWithSelector(Faucet.RecipientNotAllowed.selector, address(0)));
        faucet.drip(address(token), address(0));
        vm.expectRevert(abi.encodeWithSelector(Faucet.RecipientNotAllowed.selector, faucet));
        faucet.drip(address(token), address(faucet));
        blockAccount(ALICE);
        vm.expectRevert(BLOCKED);
        faucet.drip(address(token), ALICE);
        vm.assertEq(faucet.availableAt(address(token), ALICE), 0, "a refused drip starts no wait");
    }

    function test_theTokenHasTheLastWord() public {
        vm.prank(ADMINISTRATOR);
        token.configureMinter(address(faucet), AMOUNT - 1);
        vm.expectRevert("FiatToken: mint amount exceeds minterAllowance");
        faucet.drip(address(token), ALICE);
        vm.prank(ADMINISTRATOR);
        token.removeMinter(address(faucet));
        vm.expectRevert("FiatToken: caller is not a minter");
        faucet.drip(address(token), ALICE);
    }

    function test_onlyTheOwnerConfigures() public {
        bytes memory reason = abi.encodeWithSelector(Ownable.OwnableUnauthorizedAccount.selector, STRANGER);
        vm.prank(STRANGER);
        vm.expectRevert(reason);
        faucet.configureDrip(address(token), 1, 1, 1);
        vm.prank(STRANGER);
        vm.expectRevert(reason);
        faucet.closeDrip(address(token));
        vm.prank(ADMINISTRATOR);
        vm.expectRevert(Faucet.AmountIsZero.selector);
        faucet.configureDrip(address(token), 0, 1, 1);
        vm.prank(ADMINISTRATOR);
        vm.expectRevert(abi.encodeWithSelector(Faucet.DailyLimitBelowAmount.selector, 4, 5));
        faucet.configureDrip(address(token), 5, 4, 1);
    }
}
