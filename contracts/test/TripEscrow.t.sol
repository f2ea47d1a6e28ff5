// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {TripEscrow} from "../src/TripEscrow.sol";
import {PushedPayments} from "../src/escrow/PushedPayments.sol";
import {TripRecords} from "../src/escrow/TripRecords.sol";
import {EscrowFixture} from "./support/EscrowFixture.sol";
import {vm} from "./support/Vm.sol";

/// How a trip comes to its money, its guest and its operator.
contract TripEscrowTest is EscrowFixture {
    bytes private constant BAD_SIGNATURE = "FiatTokenV2: invalid signature";

    function testFuzz_anybodySubmitsWhatTheFunderSigned(uint128 budget, address relayer) public {
        uint256 amount = budget == 0 ? 1 : budget;
        TripRecords.Terms memory terms = termsOf(ALICE, amount, "salt");
        mintTo(ALICE, amount);
        bytes memory signature = signTerms(ALICE_KEY, terms);
        vm.prank(relayer);
        submit(terms, signature);
        TripRecords.Trip memory trip = escrow.trips(idOf(terms));
        vm.assertEq(trip.funder, ALICE, "funder");
        vm.assertEq(trip.expiresAt, EXPIRES_AT, "expiry");
        vm.assertEq(trip.claimSigner, CLAIM_SIGNER, "claim signer");
        vm.assertEq(trip.guest, address(0), "guest");
        vm.assertFalse(trip.isClosed, "open");
        requireTrip(idOf(terms), amount, 0);
        vm.assertEq(escrow.totalLiability(), amount, "liability");
        vm.assertEq(token.balanceOf(address(escrow)), amount, "money");
        vm.expectRevert(abi.encodeWithSelector(TripRecords.TripExists.selector, idOf(terms)));
        submit(terms, signature);
    }

    /// Whatever a relayer changes, the signature is none for it.
    function testFuzz_changedTermsAreRefused(uint8 field, uint160 change) public {
        mintTo(ALICE, 1_000);
        TripRecords.Terms memory terms = termsOf(ALICE, 500, "salt");
        bytes memory signature = signTerms(ALICE_KEY, terms);
        uint256 which = field % 6;
        bytes32 other = keccak256(abi.encode(change));
        if (which == 0) terms.funder = address(uint160(uint256(other)));
        if (which == 1) terms.budget = 1 + (change % 499);
        if (which == 2) terms.expiresAt = uint64(NOW + 1 + (change % 29 days));
        if (which == 3) terms.claimSigner = address(uint160(uint256(other)));
        if (which == 4) terms.metadataHash = other;
        if (which == 5) terms.salt = other;
        vm.expectRevert(BAD_SIGNATURE);
        submit(terms, signature);
    }

    function test_theTripIsOfThisEscrowAndChain() public {
        TripRecords.Terms memory terms = termsOf(ALICE, 500, "salt");
        bytes32 tripId = idOf(terms);
        vm.assertEq(escrow.tripIdOf(terms), tripId, "by its definition");
        TripEscrow other = new TripEscrow(address(token), OWNER, OPERATOR, SERVICE, GRACE);
        vm.assertTrue(other.tripIdOf(terms) != tripId, "escrow");
        vm.chainId(block.chainid + 1);
        vm.assertTrue(escrow.tripIdOf(terms) != tripId, "chain");
    }

    function test_badTermsAreRefused() public {
        TripRecords.Terms memory terms = termsOf(ALICE, 0, "salt");
        vm.expectRevert(TripRecords.AmountIsZero.selector);
        submit(terms, "");
        terms = termsOf(ALICE, 1, "salt");
        terms.expiresAt = uint64(NOW);
        vm.expectRevert(abi.encodeWithSelector(TripRecords.TripExpired.selector, NOW));
        submit(terms, "");
        terms = termsOf(ALICE, 1, "salt");
        terms.claimSigner = address(0);
        vm.expectRevert(abi.encodeWithSelector(PushedPayments.AddressNotAllowed.selector, address(0)));
        submit(terms, "");
        terms = termsOf(address(escrow), 1, "salt");
        vm.expectRevert(abi.encodeWithSelector(PushedPayments.AddressNotAllowed.selector, address(escrow)));
        submit(terms, "");
        terms = termsOf(ALICE, uint256(1) << 128, "salt");
        vm.expectRevert(abi.encodeWithSignature("SafeCastOverflowedUintDowncast(uint8,uint256)", 128, terms.budget));
        submit(terms, "");
    }

    function test_aRefusedAuthorizationLeavesNoTrip() public {
        TripRecords.Terms memory terms = termsOf(ALICE, 100, "salt");
        bytes memory signature = signTerms(ALICE_KEY, terms);
        vm.expectRevert("ERC20: transfer amount exceeds balance");
        submit(terms, signature);
        vm.assertEq(escrow.trips(idOf(terms)).funder, address(0), "no trip");
        vm.assertEq(escrow.totalLiability(), 0, "no liability");
        mintTo(ALICE, 100);
        submit(terms, signature);
        vm.assertEq(escrow.trips(idOf(terms)).funder, ALICE, "trip");
    }

    function test_aWalletWithCodeFunds() public {
        bytes32 tripId = fund(termsOf(address(wallet), 100, "salt"), KEEPER_KEY);
        vm.assertEq(escrow.trips(tripId).funder, address(wallet), "funder");
    }

    function testFuzz_theClaimSignerMakesTheGuest(address guest, address relayer, uint32 ahead) public {
        vm.assume(guest != address(0));
        bytes32 tripId = fundAlice(100);
        bytes memory signature = signClaim(CLAIM_KEY, tripId, guest, NOW + ahead);
        vm.prank(relayer);
        escrow.claim(tripId, guest, NOW + ahead, signature);
        vm.assertEq(escrow.trips(tripId).guest, guest, "guest");
        // Neither again nor for another guest.
        vm.expectRevert(abi.encodeWithSelector(TripRecords.AlreadyClaimed.selector, guest));
        escrow.claim(tripId, guest, NOW + ahead, signature);
        bytes memory second = signClaim(CLAIM_KEY, tripId, STRANGER, NOW + ahead);
        vm.expectRevert(abi.encodeWithSelector(TripRecords.AlreadyClaimed.selector, guest));
        escrow.claim(tripId, STRANGER, NOW + ahead, second);
    }

    function test_aClaimIsOfOneTripGuestDeadlineEscrowAndChain() public {
        bytes32 tripId = fundAlice(100);
        bytes32 otherTrip = fund(termsOf(ALICE, 100, "other"), ALICE_KEY);
        bytes memory signature = signClaim(CLAIM_KEY, tripId, GUEST, NOW + 1);
        vm.expectRevert(TripRecords.WrongClaimSignature.selector);
        escrow.claim(otherTrip, GUEST, NOW + 1, signature);
        vm.expectRevert(TripRecords.WrongClaimSignature.selector);
        escrow.claim(tripId, STRANGER, NOW + 1, signature);
        vm.expectRevert(TripRecords.WrongClaimSignature.selector);
        escrow.claim(tripId, GUEST, NOW + 2, signature);
        bytes memory byOther = signClaim(ALICE_KEY, tripId, GUEST, NOW + 1);
        vm.expectRevert(TripRecords.WrongClaimSignature.selector);
        escrow.claim(tripId, GUEST, NOW + 1, byOther);
        vm.expectRevert(TripRecords.WrongClaimSignature.selector);
        escrow.claim(tripId, GUEST, NOW + 1, "");
        TripEscrow here = escrow;
        escrow = new TripEscrow(address(token), OWNER, OPERATOR, SERVICE, GRACE);
        bytes memory ofOtherEscrow = signClaim(CLAIM_KEY, tripId, GUEST, NOW + 1);
        escrow = here;
        vm.expectRevert(TripRecords.WrongClaimSignature.selector);
        escrow.claim(tripId, GUEST, NOW + 1, ofOtherEscrow);
        uint256 chainId = block.chainid;
        vm.chainId(chainId + 1);
        vm.expectRevert(TripRecords.WrongClaimSignature.selector);
        escrow.claim(tripId, GUEST, NOW + 1, signature);
        vm.chainId(chainId);
        escrow.claim(tripId, GUEST, NOW + 1, signature);
        vm.assertEq(escrow.trips(tripId).guest, GUEST, "guest");
    }

    function test_aClaimComesInTimeAndForATrip() public {
        bytes32 tripId = fundAlice(100);
        bytes memory signature = signClaim(CLAIM_KEY, tripId, GUEST, NOW - 1);
        vm.expectRevert(abi.encodeWithSelector(TripRecords.ClaimExpired.selector, NOW - 1));
        escrow.claim(tripId, GUEST, NOW - 1, signature);
        signature = signClaim(CLAIM_KEY, tripId, address(0), NOW);
        vm.expectRevert(abi.encodeWithSelector(PushedPayments.AddressNotAllowed.selector, address(0)));
        escrow.claim(tripId, address(0), NOW, signature);
        vm.expectRevert(abi.encodeWithSelector(TripRecords.TripUnknown.selector, bytes32("none")));
        escrow.claim("none", GUEST, NOW, signature);
        vm.warp(EXPIRES_AT);
        signature = signClaim(CLAIM_KEY, tripId, GUEST, EXPIRES_AT);
        vm.expectRevert(abi.encodeWithSelector(TripRecords.TripExpired.selector, EXPIRES_AT));
        escrow.claim(tripId, GUEST, EXPIRES_AT, signature);
    }

    function test_aClosedTripMayStillBeClaimed() public {
        bytes32 tripId = fundAlice(100);
        close(tripId);
        escrow.claim(tripId, GUEST, NOW, signClaim(CLAIM_KEY, tripId, GUEST, NOW));
        vm.assertEq(escrow.trips(tripId).guest, GUEST, "guest");
    }

    function test_onlyTheOperatorOperates() public {
        bytes32 tripId = fundAlice(100);
        bytes[] memory calls = new bytes[](8);
        calls[0] = abi.encodeCall(escrow.reserve, (tripId, BOOKING, 1));
        calls[1] = abi.encodeCall(escrow.commit, (tripId, BOOKING, VENDOR, 1, 0, 0, ""));
        calls[2] = abi.encodeCall(escrow.confirm, (tripId, BOOKING, ""));
        calls[3] = abi.encodeCall(escrow.settle, (tripId, BOOKING));
        calls[4] = abi.encodeCall(escrow.cancel, (tripId, BOOKING, ""));
        calls[5] = abi.encodeCall(escrow.logAction, (tripId, "action", "", 1));
        calls[6] = abi.encodeCall(escrow.close, (tripId));
        calls[7] = abi.encodeCall(escrow.returnToTrip, (tripId, BOOKING, ""));
        address[3] memory callers = [ALICE, OWNER, STRANGER];
        for (uint256 index = 0; index < calls.length; index++) {
            for (uint256 who = 0; who < callers.length; who++) {
                vm.prank(callers[who]);
                (bool success, bytes memory answer) = address(escrow).call(calls[index]);
                vm.assertFalse(success, "refused");
                vm.assertEq(
                    keccak256(answer),
                    keccak256(abi.encodeWithSelector(TripRecords.NotOperator.selector, callers[who])),
                    "reason"
                );
            }
        }
    }

    function test_theOwnerNamesOperatorAndFeeRecipient() public {
        vm.prank(STRANGER);
        vm.expectRevert(abi.encodeWithSignature("OwnableUnauthorizedAccount(address)", STRANGER));
        escrow.setOperator(STRANGER);
        vm.prank(OPERATOR);
        vm.expectRevert(abi.encodeWithSignature("OwnableUnauthorizedAccount(address)", OPERATOR));
        escrow.setServiceFeeRecipient(STRANGER);
        vm.prank(OWNER);
        escrow.setOperator(CAROL);
        bytes32 tripId = fundAlice(100);
        vm.prank(OPERATOR);
        vm.expectRevert(abi.encodeWithSelector(TripRecords.NotOperator.selector, OPERATOR));
        escrow.reserve(tripId, BOOKING, 1);
        vm.prank(CAROL);
        escrow.reserve(tripId, BOOKING, 1);
        vm.prank(OWNER);
        escrow.setServiceFeeRecipient(CAROL);
        vm.assertEq(escrow.serviceFeeRecipient(), CAROL, "recipient");
        address[3] memory refused = [address(0), address(escrow), address(token)];
        for (uint256 index = 0; index < refused.length; index++) {
            vm.prank(OWNER);
            vm.expectRevert(abi.encodeWithSelector(PushedPayments.AddressNotAllowed.selector, refused[index]));
            escrow.setServiceFeeRecipient(refused[index]);
        }
        vm.prank(OWNER);
        vm.expectRevert(abi.encodeWithSelector(PushedPayments.AddressNotAllowed.selector, address(0)));
        escrow.setOperator(address(0));
    }

    function test_aNewOwnerHasToAccept() public {
        vm.prank(OWNER);
        escrow.transferOwnership(CAROL);
        vm.assertEq(escrow.owner(), OWNER, "not yet");
        vm.prank(CAROL);
        escrow.acceptOwnership();
        vm.assertEq(escrow.owner(), CAROL, "accepted");
    }

    function test_anEscrowIsDeployedForATokenAndAGraceThatEnds() public {
        vm.expectRevert(abi.encodeWithSelector(PushedPayments.AddressNotAllowed.selector, STRANGER));
        new TripEscrow(STRANGER, OWNER, OPERATOR, SERVICE, GRACE);
        vm.expectRevert(abi.encodeWithSelector(TripRecords.GraceTooLong.selector, 91 days));
        new TripEscrow(address(token), OWNER, OPERATOR, SERVICE, 91 days);
        vm.assertEq(escrow.graceSeconds(), GRACE, "grace");
        vm.assertEq(address(escrow.token()), address(token), "token");
        vm.assertEq(escrow.operator(), OPERATOR, "operator");
    }
}
