// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {TripRecords} from "../src/escrow/TripRecords.sol";
import {EscrowFixture} from "./support/EscrowFixture.sol";
import {vm} from "./support/Vm.sol";

/// What happens to a trip's money when time runs out, with and without an operator.
contract TripEscrowReleasesTest is EscrowFixture {
    uint256 private constant GRACE_ENDS_AT = EXPIRES_AT + GRACE;

    function test_nothingNewAfterTheExpiry() public {
        bytes32 tripId = fundAlice(1_000);
        reserve(tripId, BOOKING, 500);
        vm.warp(EXPIRES_AT);
        bytes memory reason = abi.encodeWithSelector(TripRecords.TripExpired.selector, EXPIRES_AT);
        vm.expectRevert(reason);
        reserve(tripId, "second", 1);
        vm.expectRevert(reason);
        commit(tripId, BOOKING, 1, 0, 0);
        vm.expectRevert(reason);
        logAction(tripId, "action", 0);
    }

    function test_whatWasCommittedInTimeMayEndLater() public {
        bytes32 tripId = fundAlice(1_000);
        reserve(tripId, BOOKING, 500);
        reserve(tripId, "second", 100);
        commit(tripId, BOOKING, 400, 50, 4);
        vm.warp(EXPIRES_AT);
        confirm(tripId, BOOKING);
        settle(tripId, BOOKING);
        cancel(tripId, "second");
        close(tripId);
        vm.assertEq(token.balanceOf(VENDOR), 400, "vendor");
        vm.assertEq(escrow.totalLiability(), 0, "all is paid");
    }

    function testFuzz_freeMoneyGoesBackByAnybodyAfterTheExpiry(address caller, uint32 late) public {
        bytes32 tripId = fundAlice(1_000);
        reserve(tripId, BOOKING, 300);
        vm.warp(EXPIRES_AT - 1);
        vm.expectRevert(abi.encodeWithSelector(TripRecords.TripNotExpired.selector, EXPIRES_AT));
        escrow.release(tripId);
        vm.warp(uint256(EXPIRES_AT) + late);
        vm.prank(caller);
        escrow.release(tripId);
        vm.assertEq(token.balanceOf(ALICE), 700, "funder");
        requireTrip(tripId, 0, 300);
        // The second one has what he wanted.
        escrow.release(tripId);
        vm.assertEq(token.balanceOf(ALICE), 700, "once");
        vm.expectRevert(abi.encodeWithSelector(TripRecords.TripUnknown.selector, bytes32("none")));
        escrow.release("none");
    }

    function test_funderAndGuestTakeAMereReservationBackAtOnce() public {
        bytes32 tripId = fundAlice(1_000);
        escrow.claim(tripId, GUEST, NOW, signClaim(CLAIM_KEY, tripId, GUEST, NOW));
        reserve(tripId, "first", 100);
        reserve(tripId, "second", 200);
        reserve(tripId, "third", 300);
        vm.prank(ALICE);
        vm.expectRevert(abi.encodeWithSelector(TripRecords.TripNotExpired.selector, EXPIRES_AT));
        escrow.releaseBooking(tripId, "first");
        vm.warp(EXPIRES_AT);
        vm.prank(ALICE);
        escrow.releaseBooking(tripId, "first");
        vm.prank(GUEST);
        escrow.releaseBooking(tripId, "second");
        vm.assertEq(token.balanceOf(ALICE), 300, "both to the funder");
        vm.prank(STRANGER);
        vm.expectRevert(abi.encodeWithSelector(TripRecords.GraceNotOver.selector, GRACE_ENDS_AT));
        escrow.releaseBooking(tripId, "third");
        vm.prank(ALICE);
        vm.expectRevert(wrongState(TripRecords.BookingState.Cancelled));
        escrow.releaseBooking(tripId, "first");
        vm.prank(ALICE);
        vm.expectRevert(wrongState(TripRecords.BookingState.None));
        escrow.releaseBooking(tripId, "fourth");
    }

    /// The vendor may be about to deliver: until the grace is over, it is the operator who knows.
    function test_whatIsCommittedWaitsForTheGrace() public {
        bytes32 tripId = confirmedTrip(1_000, 500);
        reserve(tripId, "second", 100);
        commit(tripId, "second", 100, 0, 0);
        vm.warp(GRACE_ENDS_AT - 1);
        address[2] memory callers = [ALICE, OPERATOR];
        for (uint256 who = 0; who < callers.length; who++) {
            vm.prank(callers[who]);
            vm.expectRevert(abi.encodeWithSelector(TripRecords.GraceNotOver.selector, GRACE_ENDS_AT));
            escrow.releaseBooking(tripId, BOOKING);
            vm.prank(callers[who]);
            vm.expectRevert(abi.encodeWithSelector(TripRecords.GraceNotOver.selector, GRACE_ENDS_AT));
            escrow.releaseBooking(tripId, "second");
        }
    }

    function testFuzz_afterTheGraceAnybodyEndsEverything(address caller, uint32 late) public {
        bytes32 tripId = confirmedTrip(1_000, 500);
        reserve(tripId, "second", 100);
        commit(tripId, "second", 100, 0, 0);
        reserve(tripId, "third", 50);
        vm.warp(GRACE_ENDS_AT + late);
        vm.prank(caller);
        vm.expectEmit(address(escrow));
        emit TripRecords.BookingSettled(tripId, BOOKING, VENDOR, 400, 50, 5, 45);
        escrow.releaseBooking(tripId, BOOKING);
        vm.prank(caller);
        vm.expectEmit(address(escrow));
        emit TripRecords.BookingCancelled(tripId, "second", 100, "expired");
        escrow.releaseBooking(tripId, "second");
        vm.prank(caller);
        escrow.releaseBooking(tripId, "third");
        vm.prank(caller);
        escrow.release(tripId);
        vm.assertEq(token.balanceOf(VENDOR), 400, "a confirmed vendor is paid");
        vm.assertEq(token.balanceOf(SERVICE), 5, "service");
        vm.assertEq(token.balanceOf(ALICE), 595, "funder");
        vm.assertEq(escrow.totalLiability(), 0, "nothing is left");
        vm.assertEq(token.balanceOf(address(escrow)), 0, "not a unit");
    }

    /// The latest expiry that can be written must not make the end of the grace overflow.
    function test_theLatestExpiryHasAGraceToo() public {
        TripRecords.Terms memory terms = termsOf(ALICE, 100, "salt");
        terms.expiresAt = type(uint64).max;
        bytes32 tripId = fund(terms, ALICE_KEY);
        reserve(tripId, BOOKING, 100);
        commit(tripId, BOOKING, 100, 0, 0);
        vm.warp(uint256(type(uint64).max) + GRACE);
        escrow.releaseBooking(tripId, BOOKING);
        vm.assertEq(token.balanceOf(ALICE), 100, "back");
    }
}
