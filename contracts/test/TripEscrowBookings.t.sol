// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {PushedPayments} from "../src/escrow/PushedPayments.sol";
import {TripRecords} from "../src/escrow/TripRecords.sol";
import {EscrowFixture} from "./support/EscrowFixture.sol";
import {vm} from "./support/Vm.sol";

contract TripEscrowBookingsTest is EscrowFixture {
    function testFuzz_everyUnitOfAReservationIsPaidOnce(
        uint128 budget,
        uint128 reserved,
        uint128 vendorAmount,
        uint128 markup,
        uint128 serviceFee
    ) public {
        uint256 whole = 1 + uint256(budget) % 1e15;
        uint256 held = 1 + uint256(reserved) % whole;
        uint256 cost = 1 + uint256(vendorAmount) % held;
        uint256 earned = uint256(markup) % (held - cost + 1);
        uint256 fee = uint256(serviceFee) % (held - cost - earned + 1);
        bytes32 tripId = fundAlice(whole);
        reserve(tripId, BOOKING, held);
        requireTrip(tripId, whole - held, held);
        commit(tripId, BOOKING, cost, earned, fee);
        confirm(tripId, BOOKING);
        requireTrip(tripId, whole - held, held);
        vm.assertEq(token.balanceOf(address(escrow)), whole, "nothing has left yet");
        settle(tripId, BOOKING);
        requireTrip(tripId, whole - held, 0);
        vm.assertEq(token.balanceOf(VENDOR), cost, "vendor");
        vm.assertEq(token.balanceOf(SERVICE), fee, "service");
        vm.assertEq(token.balanceOf(ALICE), held - cost - fee, "funder: markup and rest");
        vm.assertEq(token.balanceOf(address(escrow)), whole - held, "escrow");
        vm.assertEq(escrow.totalLiability(), whole - held, "liability");
    }

    function test_saysWhatIsDone() public {
        TripRecords.Terms memory terms = termsOf(ALICE, 1_000, "salt");
        mintTo(ALICE, 1_000);
        bytes32 tripId = idOf(terms);
        bytes memory signature = signTerms(ALICE_KEY, terms);
        vm.expectEmit(address(escrow));
        emit TripRecords.TripFunded(tripId, ALICE, 1_000, EXPIRES_AT, CLAIM_SIGNER, "metadata");
        submit(terms, signature);
        signature = signClaim(CLAIM_KEY, tripId, GUEST, NOW);
        vm.expectEmit(address(escrow));
        emit TripRecords.TripClaimed(tripId, GUEST);
        escrow.claim(tripId, GUEST, NOW, signature);
        vm.expectEmit(address(escrow));
        emit TripRecords.BookingReserved(tripId, BOOKING, 500);
        reserve(tripId, BOOKING, 500);
        vm.expectEmit(address(escrow));
        emit TripRecords.BookingCommitted(tripId, BOOKING, VENDOR, 400, 50, 4, "itinerary");
        commit(tripId, BOOKING, 400, 50, 4);
        vm.expectEmit(address(escrow));
        emit TripRecords.BookingConfirmed(tripId, BOOKING, "ticket");
        confirm(tripId, BOOKING);
        vm.expectEmit(address(escrow));
        emit TripRecords.BookingSettled(tripId, BOOKING, VENDOR, 400, 50, 4, 46);
        vm.expectEmit(address(escrow));
        emit PushedPayments.PaymentMade(tripId, VENDOR, 400);
        vm.expectEmit(address(escrow));
        emit PushedPayments.PaymentMade(tripId, SERVICE, 4);
        vm.expectEmit(address(escrow));
        emit PushedPayments.PaymentMade(tripId, ALICE, 96);
        settle(tripId, BOOKING);
        reserve(tripId, "second", 100);
        vm.expectEmit(address(escrow));
        emit TripRecords.BookingCancelled(tripId, "second", 100, "reason");
        cancel(tripId, "second");
        reserve(tripId, "third", 50);
        vm.expectEmit(address(escrow));
        emit TripRecords.BookingReturned(tripId, "third", 50, "reason");
        returnToTrip(tripId, "third");
        vm.expectEmit(address(escrow));
        emit TripRecords.ActionLogged(tripId, "action", "type", 7);
        vm.expectEmit(address(escrow));
        emit PushedPayments.PaymentMade(tripId, ALICE, 7);
        logAction(tripId, "action", 7);
        vm.expectEmit(address(escrow));
        emit TripRecords.TripClosed(tripId, 393);
        close(tripId);
    }

    function test_keepsWhatWasCommitted() public {
        bytes32 tripId = confirmedTrip(1_000, 500);
        TripRecords.Booking memory booking = escrow.bookings(tripId, BOOKING);
        vm.assertEq(booking.vendor, VENDOR, "vendor");
        vm.assertEq(booking.reserved, 500, "reserved");
        vm.assertEq(booking.vendorAmount, 400, "vendor's amount");
        vm.assertEq(booking.markup, 50, "markup");
        vm.assertEq(booking.serviceFee, 5, "fee");
        requireState(tripId, BOOKING, TripRecords.BookingState.Confirmed);
    }

    function testFuzz_noMoreIsCommittedThanReserved(uint256 cost, uint256 markup, uint256 fee) public {
        bytes32 tripId = fundAlice(1_000);
        reserve(tripId, BOOKING, 500);
        uint256 vendorAmount = cost == 0 ? 1 : cost;
        // Their sum may be more than a number holds.
        bool fits = vendorAmount <= 500 && markup <= 500 && fee <= 500 && vendorAmount + markup + fee <= 500;
        vm.prank(OPERATOR);
        (bool success,) = address(escrow)
            .call(abi.encodeCall(escrow.commit, (tripId, BOOKING, VENDOR, vendorAmount, markup, fee, "")));
        vm.assertTrue(success == fits, "as it fits");
    }

    function test_amountsAtTheLimits() public {
        bytes32 tripId = fundAlice(1_000);
        vm.expectRevert(TripRecords.AmountIsZero.selector);
        reserve(tripId, BOOKING, 0);
        vm.expectRevert(abi.encodeWithSelector(TripRecords.InsufficientFree.selector, 1_000, 1_001));
        reserve(tripId, BOOKING, 1_001);
        reserve(tripId, BOOKING, 1_000);
        vm.expectRevert(abi.encodeWithSelector(TripRecords.InsufficientFree.selector, 0, 1));
        reserve(tripId, "second", 1);
        vm.expectRevert(TripRecords.AmountIsZero.selector);
        commit(tripId, BOOKING, 0, 1, 1);
        vm.expectRevert(abi.encodeWithSelector(TripRecords.ExceedsReservation.selector, 1_000, 1_001));
        commit(tripId, BOOKING, 900, 100, 1);
        vm.expectRevert(abi.encodeWithSelector(TripRecords.ExceedsReservation.selector, 1_000, type(uint256).max));
        commit(tripId, BOOKING, 900, type(uint256).max, type(uint256).max);
        commit(tripId, BOOKING, 900, 100, 0);
        vm.expectRevert(abi.encodeWithSelector(TripRecords.InsufficientFree.selector, 0, 1));
        logAction(tripId, "action", 1);
    }

    function test_aVendorIsSomebodyWhoCanBePaid() public {
        bytes32 tripId = fundAlice(1_000);
        reserve(tripId, BOOKING, 500);
        address[3] memory refused = [address(0), address(escrow), address(token)];
        for (uint256 index = 0; index < refused.length; index++) {
            vm.prank(OPERATOR);
            vm.expectRevert(abi.encodeWithSelector(PushedPayments.AddressNotAllowed.selector, refused[index]));
            escrow.commit(tripId, BOOKING, refused[index], 1, 0, 0, "");
        }
    }

    /// Every step from every state: exactly the ones of the table happen.
    function test_stepsHappenFromTheirStatesOnly() public {
        bool[6][6] memory allowed;
        allowed[0][0] = true;
        allowed[1][1] = true;
        allowed[2][2] = true;
        allowed[3][3] = true;
        for (uint256 state = 1; state <= 3; state++) {
            allowed[state][4] = true;
            allowed[state][5] = state < 3;
        }
        bytes32 tripId = fundAlice(1_000_000);
        uint256 next = 1;
        for (uint256 state = 0; state < 6; state++) {
            for (uint256 step = 0; step < 6; step++) {
                bytes32 bookingId = bytes32(next++);
                bringTo(tripId, bookingId, TripRecords.BookingState(state));
                bytes[] memory calls = stepsOf(tripId, bookingId);
                vm.prank(OPERATOR);
                (bool success, bytes memory answer) = address(escrow).call(calls[step]);
                vm.assertTrue(success == allowed[state][step], "as the table says");
                bytes memory reason = wrongState(TripRecords.BookingState(state));
                if (!success) vm.assertEq(keccak256(answer), keccak256(reason), "reason");
            }
        }
    }

    function test_idsOfBookingsAndActionsAreOfTheirTrip() public {
        bytes32 tripId = fundAlice(1_000);
        bytes32 other = fund(termsOf(BOB, 1_000, "salt"), BOB_KEY);
        reserve(tripId, BOOKING, 100);
        reserve(other, BOOKING, 200);
        logAction(tripId, "action", 0);
        vm.assertFalse(escrow.isActionLogged(other, "action"), "not there");
        logAction(other, "action", 5);
        vm.assertEq(token.balanceOf(BOB), 5, "fee");
        vm.expectRevert(abi.encodeWithSelector(TripRecords.ActionExists.selector, bytes32("action")));
        logAction(tripId, "action", 0);
        requireTrip(tripId, 900, 100);
        requireTrip(other, 795, 200);
    }

    function test_cancellingGivesTheWholeReservationBack() public {
        bytes32 tripId = confirmedTrip(1_000, 500);
        cancel(tripId, BOOKING);
        vm.assertEq(token.balanceOf(ALICE), 500, "funder");
        vm.assertEq(token.balanceOf(VENDOR), 0, "vendor");
        requireTrip(tripId, 500, 0);
    }

    function testFuzz_whatIsReturnedCanBeSpentAgain(uint128 budget, uint128 amount, uint128 other, bool isCommitted)
        public
    {
        uint256 whole = 1 + uint256(budget) % 1e15;
        uint256 held = 1 + uint256(amount) % whole;
        bytes32 tripId = fundAlice(whole);
        reserve(tripId, BOOKING, held);
        if (isCommitted) commit(tripId, BOOKING, held, 0, 0);
        returnToTrip(tripId, BOOKING);
        requireState(tripId, BOOKING, TripRecords.BookingState.Cancelled);
        requireTrip(tripId, whole, 0);
        vm.assertEq(token.balanceOf(address(escrow)), whole, "nothing has left");
        vm.assertEq(escrow.totalLiability(), whole, "liability");
        // The whole budget, and what the first booking was committed to is no part of it.
        uint256 cost = 1 + uint256(other) % whole;
        reserve(tripId, "second", whole);
        commit(tripId, "second", cost, whole - cost, 0);
        confirm(tripId, "second");
        settle(tripId, "second");
        vm.assertEq(token.balanceOf(VENDOR), cost, "vendor");
        vm.assertEq(token.balanceOf(ALICE), whole - cost, "funder");
        vm.assertEq(escrow.totalLiability(), 0, "all is paid");
    }

    function test_nothingIsReturnedToATripThatSpendsNothing() public {
        bytes32 tripId = fundAlice(1_000);
        reserve(tripId, BOOKING, 500);
        close(tripId);
        vm.expectRevert(TripRecords.TripIsClosed.selector);
        returnToTrip(tripId, BOOKING);
        bytes32 expired = fund(termsOf(BOB, 1_000, "salt"), BOB_KEY);
        reserve(expired, BOOKING, 500);
        vm.warp(EXPIRES_AT);
        vm.expectRevert(abi.encodeWithSelector(TripRecords.TripExpired.selector, EXPIRES_AT));
        returnToTrip(expired, BOOKING);
        cancel(tripId, BOOKING);
        cancel(expired, BOOKING);
        vm.assertEq(token.balanceOf(ALICE), 1_000, "of the closed trip");
        vm.assertEq(token.balanceOf(BOB), 500, "of the expired trip");
    }

    function test_whatIsReturnedGoesToTheFunderWithTheRest() public {
        bytes32 tripId = fundAlice(1_000);
        reserve(tripId, BOOKING, 400);
        returnToTrip(tripId, BOOKING);
        close(tripId);
        vm.assertEq(token.balanceOf(ALICE), 1_000, "funder");
        vm.assertEq(escrow.totalLiability(), 0, "all is paid");
    }

    function test_bookingsOfAClosedTripGoOn() public {
        bytes32 tripId = fundAlice(1_000);
        reserve(tripId, BOOKING, 500);
        close(tripId);
        vm.assertEq(token.balanceOf(ALICE), 500, "free money is back");
        vm.expectRevert(TripRecords.TripIsClosed.selector);
        close(tripId);
        vm.expectRevert(TripRecords.TripIsClosed.selector);
        reserve(tripId, "second", 1);
        vm.expectRevert(TripRecords.TripIsClosed.selector);
        logAction(tripId, "action", 0);
        commit(tripId, BOOKING, 400, 0, 4);
        confirm(tripId, BOOKING);
        settle(tripId, BOOKING);
        vm.assertEq(token.balanceOf(VENDOR), 400, "vendor");
        vm.assertEq(escrow.totalLiability(), 0, "all is paid");
    }

    function test_unknownTripsAreNamed() public {
        bytes[] memory calls = stepsOf("none", BOOKING);
        for (uint256 index = 0; index < calls.length; index++) {
            vm.prank(OPERATOR);
            (, bytes memory answer) = address(escrow).call(calls[index]);
            bytes memory reason = abi.encodeWithSelector(TripRecords.TripUnknown.selector, bytes32("none"));
            vm.assertEq(keccak256(answer), keccak256(reason), "reason");
        }
    }

    function test_theFeeGoesToWhoeverIsNamedAtTheSettlement() public {
        bytes32 tripId = confirmedTrip(1_000, 500);
        vm.prank(OWNER);
        escrow.setServiceFeeRecipient(CAROL);
        settle(tripId, BOOKING);
        vm.assertEq(token.balanceOf(CAROL), 5, "now");
        vm.assertEq(token.balanceOf(SERVICE), 0, "before");
    }

    function stepsOf(bytes32 tripId, bytes32 bookingId) private view returns (bytes[] memory calls) {
        calls = new bytes[](6);
        calls[0] = abi.encodeCall(escrow.reserve, (tripId, bookingId, 10));
        calls[1] = abi.encodeCall(escrow.commit, (tripId, bookingId, VENDOR, 8, 1, 1, ""));
        calls[2] = abi.encodeCall(escrow.confirm, (tripId, bookingId, ""));
        calls[3] = abi.encodeCall(escrow.settle, (tripId, bookingId));
        calls[4] = abi.encodeCall(escrow.cancel, (tripId, bookingId, ""));
        calls[5] = abi.encodeCall(escrow.returnToTrip, (tripId, bookingId, ""));
    }

    function bringTo(bytes32 tripId, bytes32 bookingId, TripRecords.BookingState state) private {
        if (state == TripRecords.BookingState.None) return;
        reserve(tripId, bookingId, 10);
        if (state == TripRecords.BookingState.Cancelled) cancel(tripId, bookingId);
        if (state == TripRecords.BookingState.Reserved || state == TripRecords.BookingState.Cancelled) return;
        commit(tripId, bookingId, 8, 1, 1);
        if (state == TripRecords.BookingState.Committed) return;
        confirm(tripId, bookingId);
        if (state == TripRecords.BookingState.Settled) settle(tripId, bookingId);
    }
}
