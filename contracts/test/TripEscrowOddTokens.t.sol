// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {TripEscrow} from "../src/TripEscrow.sol";
import {PushedPayments} from "../src/escrow/PushedPayments.sol";
import {TripRecords} from "../src/escrow/TripRecords.sol";
import {EscrowFixture} from "./support/EscrowFixture.sol";
import {MoodyToken} from "./support/MoodyToken.sol";
import {vm} from "./support/Vm.sol";

/// The escrow's token is one that its deployer trusts. If that was wrong, its books still hold.
contract TripEscrowOddTokensTest is EscrowFixture {
    MoodyToken private moody;

    function setUp() public override {
        super.setUp();
        moody = new MoodyToken();
        escrow = new TripEscrow(address(moody), OWNER, OPERATOR, SERVICE, GRACE);
    }

    function test_moodsTowardsTheVendor() public {
        requirePaid(MoodyToken.Mood.Pays, true);
        requirePaid(MoodyToken.Mood.PaysSilently, true);
        requirePaid(MoodyToken.Mood.Refuses, false);
        requirePaid(MoodyToken.Mood.AnswersFalse, false);
        requirePaid(MoodyToken.Mood.AnswersTwo, false);
        requirePaid(MoodyToken.Mood.AnswersAByte, false);
        requirePaid(MoodyToken.Mood.BurnsGas, false);
        requirePaid(MoodyToken.Mood.Shouts, false);
    }

    /// Neither what it uses nor what it answers costs the caller much more than a payment may.
    function test_aMoodIsNotExpensive() public {
        bytes32 tripId = confirmedHere("salt");
        moody.feel(MoodyToken.Mood.BurnsGas, VENDOR);
        vm.prank(OPERATOR);
        (bool success,) = address(escrow).call{gas: 400_000}(abi.encodeCall(escrow.settle, (tripId, BOOKING)));
        vm.assertTrue(success, "burning");
        tripId = confirmedHere("second");
        moody.feel(MoodyToken.Mood.Shouts, VENDOR);
        vm.prank(OPERATOR);
        (success,) = address(escrow).call{gas: 400_000}(abi.encodeCall(escrow.settle, (tripId, BOOKING)));
        vm.assertTrue(success, "shouting");
    }

    /// What a pushed payment may use is too little for such a token: its payments wait, and are paid to who asks for them.
    function test_whatWaitsIsPaidByATokenThatNeedsMuchGas() public {
        requirePaid(MoodyToken.Mood.Toils, false);
        vm.expectRevert(abi.encodeWithSelector(PushedPayments.PaymentRefused.selector, VENDOR, 400));
        escrow.withdraw{gas: 120_000}(VENDOR);
        vm.assertEq(escrow.withdrawable(VENDOR), 400, "waits as before");
        escrow.withdraw(VENDOR);
        vm.assertEq(escrow.withdrawable(VENDOR), 0, "nothing waits");
        vm.assertEq(moody.balanceOf(VENDOR), 400, "paid");
        vm.assertEq(moody.balanceOf(address(escrow)), escrow.totalLiability(), "books");
    }

    /// The token is the operator here, so that nothing but the guard is in its way.
    function test_nothingThatPaysIsEnteredAgain() public {
        bytes32 waiting = confirmedHere("waiting");
        moody.feel(MoodyToken.Mood.Refuses, VENDOR);
        settle(waiting, BOOKING);
        bytes32 second = confirmedHere("second");
        moody.feel(MoodyToken.Mood.CallsBack, VENDOR);
        bytes[] memory calls = new bytes[](8);
        calls[0] = abi.encodeCall(escrow.settle, (second, BOOKING));
        calls[1] = abi.encodeCall(escrow.cancel, (second, BOOKING, ""));
        calls[2] = abi.encodeCall(escrow.close, (second));
        calls[3] = abi.encodeCall(escrow.logAction, (second, "action", "", 0));
        calls[4] = abi.encodeCall(escrow.release, (second));
        calls[5] = abi.encodeCall(escrow.releaseBooking, (second, BOOKING));
        calls[6] = abi.encodeCall(escrow.withdraw, (VENDOR));
        calls[7] = abi.encodeCall(escrow.prefundWithAuthorization, (termsOf(ALICE, 1, "third"), 0, 1, ""));
        for (uint256 index = 0; index < calls.length; index++) {
            moody.callBackWith("");
            bytes32 tripId = confirmedHere(bytes32(index));
            moody.callBackWith(calls[index]);
            vm.prank(OWNER);
            escrow.setOperator(address(moody));
            // Once from a payment out, and once from one in, where there is all the gas of the caller.
            vm.prank(address(moody));
            escrow.settle(tripId, BOOKING);
            requireRefusal();
            moody.callBackWith(calls[index]);
            moody.mint(ALICE, 1);
            submit(termsOf(ALICE, 1, bytes32(index)), "");
            requireRefusal();
            vm.prank(OWNER);
            escrow.setOperator(OPERATOR);
        }
        vm.assertEq(moody.balanceOf(address(escrow)), escrow.totalLiability(), "books");
        vm.assertEq(escrow.withdrawable(VENDOR), 400, "still waits");
        requireState(second, BOOKING, TripRecords.BookingState.Confirmed);
    }

    function test_aBudgetThatComesInShortIsNoTrip() public {
        TripRecords.Terms memory terms = termsOf(ALICE, 1_000, "salt");
        moody.mint(ALICE, 1_000);
        moody.keepOfAuthorizations(1);
        vm.expectRevert(abi.encodeWithSelector(TripRecords.BudgetNotReceived.selector, 1_000, 999));
        submit(terms, "");
        // What others have paid in does not make it up.
        moody.mint(address(escrow), 1_000);
        vm.expectRevert(abi.encodeWithSelector(TripRecords.BudgetNotReceived.selector, 1_000, 999));
        submit(terms, "");
    }

    function requireRefusal() private view {
        vm.assertFalse(moody.cameBack(), "refused");
        vm.assertEq(bytes32(moody.refusal()), bytes32(bytes4(keccak256("ReentrancyGuardReentrantCall()"))), "reason");
    }

    function requirePaid(MoodyToken.Mood mood, bool isPaid) private {
        bytes32 tripId = confirmedHere(keccak256(abi.encode(mood)));
        uint256 paidBefore = moody.balanceOf(VENDOR);
        uint256 waitedBefore = escrow.withdrawable(VENDOR);
        uint256 funderBefore = moody.balanceOf(ALICE);
        moody.feel(mood, VENDOR);
        settle(tripId, BOOKING);
        vm.assertEq(moody.balanceOf(VENDOR) - paidBefore, isPaid ? 400 : 0, "vendor");
        vm.assertEq(escrow.withdrawable(VENDOR) - waitedBefore, isPaid ? 0 : 400, "waiting");
        vm.assertEq(moody.balanceOf(ALICE) - funderBefore, 95, "funder");
        vm.assertEq(moody.balanceOf(address(escrow)), escrow.totalLiability(), "books");
    }

    function confirmedHere(bytes32 salt) private returns (bytes32 tripId) {
        TripRecords.Terms memory terms = termsOf(ALICE, 500, salt);
        moody.mint(ALICE, 500);
        submit(terms, "");
        tripId = idOf(terms);
        reserve(tripId, BOOKING, 500);
        commit(tripId, BOOKING, 400, 50, 5);
        confirm(tripId, BOOKING);
    }
}
