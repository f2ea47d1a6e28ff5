// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {PushedPayments} from "../src/escrow/PushedPayments.sol";
import {TripRecords} from "../src/escrow/TripRecords.sol";
import {EscrowFixture} from "./support/EscrowFixture.sol";
import {vm} from "./support/Vm.sol";

/// A payment that cannot be made waits, and nobody else does.
contract TripEscrowPaymentsTest is EscrowFixture {
    function testFuzz_aBlockedRecipientBlocksNobody(uint8 which) public {
        bytes32 tripId = confirmedTrip(1_000, 500);
        address[3] memory recipients = [VENDOR, SERVICE, ALICE];
        uint256[3] memory amounts = [uint256(400), 5, 95];
        for (uint256 index = 0; index < 3; index++) {
            if (isIn(which, index)) blockAccount(recipients[index]);
        }
        settle(tripId, BOOKING);
        uint256 waiting = 0;
        for (uint256 index = 0; index < 3; index++) {
            bool isBlocked = isIn(which, index);
            vm.assertEq(token.balanceOf(recipients[index]), isBlocked ? 0 : amounts[index], "paid");
            vm.assertEq(escrow.withdrawable(recipients[index]), isBlocked ? amounts[index] : 0, "waiting");
            if (isBlocked) waiting += amounts[index];
        }
        vm.assertEq(escrow.totalLiability(), 500 + waiting, "what waits is owed");
        requireTrip(tripId, 500, 0);
        requireState(tripId, BOOKING, TripRecords.BookingState.Settled);
    }

    function test_whatWaitsIsWithdrawnByAnybodyOnce() public {
        bytes32 tripId = confirmedTrip(1_000, 500);
        blockAccount(VENDOR);
        vm.expectEmit(address(escrow));
        emit PushedPayments.PaymentWaiting(tripId, VENDOR, 400);
        settle(tripId, BOOKING);
        vm.expectRevert(abi.encodeWithSelector(PushedPayments.PaymentRefused.selector, VENDOR, 400));
        escrow.withdraw(VENDOR);
        vm.assertEq(escrow.withdrawable(VENDOR), 400, "goes on waiting");
        vm.prank(ADMINISTRATOR);
        token.unBlacklist(VENDOR);
        vm.prank(STRANGER);
        vm.expectEmit(address(escrow));
        emit PushedPayments.Withdrawn(VENDOR, 400);
        escrow.withdraw(VENDOR);
        vm.assertEq(token.balanceOf(VENDOR), 400, "paid");
        vm.assertEq(escrow.totalLiability(), 500, "no longer owed");
        vm.expectRevert(abi.encodeWithSelector(PushedPayments.NothingWaiting.selector, VENDOR));
        escrow.withdraw(VENDOR);
    }

    function test_aBlockedFunderBlocksNoStep() public {
        bytes32 tripId = fundAlice(1_000);
        reserve(tripId, "first", 100);
        reserve(tripId, "second", 200);
        blockAccount(ALICE);
        logAction(tripId, "action", 10);
        cancel(tripId, "first");
        close(tripId);
        vm.warp(EXPIRES_AT + GRACE);
        escrow.releaseBooking(tripId, "second");
        vm.assertEq(escrow.withdrawable(ALICE), 1_000, "all of it waits");
        vm.assertEq(escrow.totalLiability(), 1_000, "owed");
    }

    function test_aPausedTokenStopsNoStep() public {
        bytes32 tripId = confirmedTrip(1_000, 500);
        pauseToken();
        settle(tripId, BOOKING);
        close(tripId);
        vm.assertEq(token.balanceOf(address(escrow)), 1_000, "nothing moved");
        vm.prank(ADMINISTRATOR);
        token.unpause();
        escrow.withdraw(VENDOR);
        escrow.withdraw(SERVICE);
        escrow.withdraw(ALICE);
        vm.assertEq(token.balanceOf(ALICE), 595, "funder");
        vm.assertEq(token.balanceOf(address(escrow)), 0, "all paid");
    }

    /// What a vendor and a service that are one account get comes in two payments and both arrive.
    function test_oneAccountMayBeVendorAndServiceFeeRecipient() public {
        vm.prank(OWNER);
        escrow.setServiceFeeRecipient(VENDOR);
        bytes32 tripId = confirmedTrip(1_000, 500);
        settle(tripId, BOOKING);
        vm.assertEq(token.balanceOf(VENDOR), 405, "both");
    }

    function test_donationsAreNobodys() public {
        mintTo(address(escrow), 77);
        bytes32 tripId = confirmedTrip(1_000, 500);
        vm.assertEq(escrow.totalLiability(), 1_000, "not owed");
        settle(tripId, BOOKING);
        close(tripId);
        vm.assertEq(token.balanceOf(address(escrow)), 77, "stays");
    }

    /// Whoever calls with little gas makes the call fail, not the payment.
    function testFuzz_aSparingCallerMakesNothingWait(uint32 gasLimit) public {
        bytes32 tripId = confirmedTrip(1_000, 500);
        vm.warp(EXPIRES_AT + GRACE);
        uint256 given = 30_000 + gasLimit % 470_000;
        vm.prank(STRANGER);
        (bool success,) = address(escrow).call{gas: given}(abi.encodeCall(escrow.releaseBooking, (tripId, BOOKING)));
        vm.assertEq(token.balanceOf(VENDOR), success ? 400 : 0, "vendor");
        vm.assertEq(token.balanceOf(ALICE), success ? 95 : 0, "funder");
        vm.assertEq(escrow.withdrawable(VENDOR) + escrow.withdrawable(ALICE), 0, "nothing waits");
    }

    function test_paymentsNeedTheirGas() public {
        bytes32 tripId = fundAlice(1_000);
        vm.warp(EXPIRES_AT);
        (bool success, bytes memory answer) =
            address(escrow).call{gas: 90_000}(abi.encodeCall(escrow.release, (tripId)));
        vm.assertFalse(success, "too little");
        vm.assertEq(bytes32(answer), bytes32(PushedPayments.NotEnoughGas.selector), "reason");
    }

    function isIn(uint8 set, uint256 index) private pure returns (bool) {
        return (set >> index) % 2 == 1;
    }
}
