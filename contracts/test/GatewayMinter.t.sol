// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {Ownable} from "@openzeppelin/contracts/access/Ownable.sol";
import {Pausable} from "@openzeppelin/contracts/utils/Pausable.sol";
import {GatewayCommon} from "../src/gateway/GatewayCommon.sol";
import {GatewayMinter} from "../src/gateway/GatewayMinter.sol";
import {TransferPayloads} from "../src/gateway/TransferPayloads.sol";
import {TransferSpecs} from "../src/gateway/TransferSpecs.sol";
import {GatewayFixture} from "./support/GatewayFixture.sol";
import {vm} from "./support/Vm.sol";

contract GatewayMinterTest is GatewayFixture {
    event AttestationUsed(
        address indexed token,
        address indexed recipient,
        bytes32 indexed transferSpecHash,
        uint32 sourceDomain,
        bytes32 sourceDepositor,
        bytes32 sourceSigner,
        uint256 value
    );

    Spec private spec;

    function setUp() public override {
        super.setUp();
        spec = specFor(base, arc, 50e6, "salt");
    }

    function test_anAttestationMintsOnce() public {
        vm.expectEmit(address(arc.minter));
        emit AttestationUsed(address(arc.token), CAROL, transferId(spec), BASE, padded(ALICE), padded(ALICE), 50e6);
        vm.prank(STRANGER);
        mintOn(arc, spec);
        vm.assertEq(arc.token.balanceOf(CAROL), 50e6, "minted");
        bytes memory used = abi.encodeWithSelector(GatewayCommon.TransferSpecHashUsed.selector, transferId(spec));
        refuses(encodeAttestation(FOREVER, spec), used);
        // Attested anew, with another end: the same transfer.
        refuses(encodeAttestation(block.number, spec), used);
    }

    function test_anAttestationIs380BytesWithoutHookData() public view {
        vm.assertEq(encodeAttestation(FOREVER, spec).length, 380, "length");
    }

    function test_nobodyElseAttests() public {
        bytes memory attestation = encodeAttestation(FOREVER, spec);
        bytes memory foreign = signMessage(BOB_KEY, attestation);
        bytes memory refusal = abi.encodeWithSelector(GatewayMinter.InvalidAttestationSigner.selector);
        vm.expectRevert(refusal);
        arc.minter.gatewayMint(attestation, foreign);
        vm.prank(ADMINISTRATOR);
        arc.minter.removeAttestationSigner(vm.addr(OPERATOR_KEY));
        refuses(attestation, refusal);
        vm.prank(ADMINISTRATOR);
        arc.minter.addAttestationSigner(BOB);
        arc.minter.gatewayMint(attestation, foreign);
    }

    function test_badAttestationsAreRefused() public {
        uint256 past = block.number + 1;
        vm.roll(past + 1);
        refuses(
            encodeAttestation(past, spec),
            abi.encodeWithSelector(GatewayMinter.AttestationExpiredAtIndex.selector, 0, past, past + 1)
        );
        spec.value = 0;
        refusesSpec(abi.encodeWithSelector(GatewayMinter.AttestationValueMustBePositiveAtIndex.selector, 0));
        spec.value = 1;
        spec.destinationCaller = padded(BOB);
        refusesSpec(
            abi.encodeWithSelector(
                GatewayMinter.InvalidAttestationDestinationCallerAtIndex.selector, 0, BOB, address(this)
            )
        );
        spec.destinationCaller = 0;
        spec.destinationDomain = 7;
        refusesSpec(
            abi.encodeWithSelector(GatewayMinter.InvalidAttestationDestinationDomainAtIndex.selector, 0, 7, ARC)
        );
        spec.destinationDomain = ARC;
        spec.destinationContract = padded(address(base.minter));
        refusesSpec(
            abi.encodeWithSelector(
                GatewayMinter.InvalidAttestationDestinationContractAtIndex.selector,
                0,
                address(base.minter),
                address(arc.minter)
            )
        );
        spec.destinationContract = padded(address(arc.minter));
        spec.destinationToken = padded(address(base.token));
        refusesSpec(abi.encodeWithSelector(GatewayMinter.UnsupportedTokenAtIndex.selector, 0, address(base.token)));
        spec.destinationToken = padded(address(arc.token));
        spec.sourceDomain = ARC;
        refusesSpec(
            abi.encodeWithSelector(
                GatewayMinter.InvalidAttestationTokenAtIndex.selector, 0, address(base.token), address(arc.token)
            )
        );
    }

    function test_theNamedCallerMints() public {
        spec.destinationCaller = padded(BOB);
        bytes memory attestation = encodeAttestation(block.number, spec);
        bytes memory signature = signMessage(OPERATOR_KEY, attestation);
        vm.prank(BOB);
        arc.minter.gatewayMint(attestation, signature);
    }

    /// Within one chain the token is the same on both ends.
    function test_aTransferWithinTheChain() public {
        mintOn(arc, specFor(arc, arc, 10e6, "salt"));
        vm.assertEq(arc.token.balanceOf(CAROL), 10e6, "minted");
    }

    function test_aSetMintsAllOrNothing() public {
        Spec memory other = specFor(base, arc, 20e6, "other");
        bytes memory set = abi.encodePacked(
            hex"1e12db71", uint32(2), encodeAttestation(FOREVER, spec), encodeAttestation(FOREVER, other)
        );
        mintOn(arc, other);
        refuses(set, abi.encodeWithSelector(GatewayCommon.TransferSpecHashUsed.selector, transferId(other)));
        vm.assertEq(arc.token.balanceOf(CAROL), 20e6, "nothing of the set");
        other.salt = "third";
        set = abi.encodePacked(
            hex"1e12db71", uint32(2), encodeAttestation(FOREVER, spec), encodeAttestation(FOREVER, other)
        );
        arc.minter.gatewayMint(set, signMessage(OPERATOR_KEY, set));
        vm.assertEq(arc.token.balanceOf(CAROL), 90e6, "all of it");
        refuses(hex"1e12db7100000000", abi.encodeWithSelector(GatewayMinter.MustHaveAtLeastOneAttestation.selector));
    }

    function test_pauseDenyListAndAllowanceStopMintingAndLoseNothing() public {
        bytes memory attestation = encodeAttestation(FOREVER, spec);
        vm.prank(ADMINISTRATOR);
        arc.minter.pause();
        refuses(attestation, abi.encodeWithSelector(Pausable.EnforcedPause.selector));
        vm.prank(ADMINISTRATOR);
        arc.minter.unpause();
        vm.prank(ADMINISTRATOR);
        arc.minter.denylist(CAROL);
        refuses(attestation, abi.encodeWithSelector(GatewayCommon.AccountDenylisted.selector, CAROL));
        vm.prank(ADMINISTRATOR);
        arc.minter.unDenylist(CAROL);
        vm.prank(ADMINISTRATOR);
        arc.minter.denylist(address(this));
        refuses(attestation, abi.encodeWithSelector(GatewayCommon.AccountDenylisted.selector, address(this)));
        vm.prank(ADMINISTRATOR);
        arc.minter.unDenylist(address(this));
        vm.prank(ADMINISTRATOR);
        arc.token.configureMinter(address(arc.minter), 50e6 - 1);
        refuses(attestation, abi.encodeWithSignature("Error(string)", "FiatToken: mint amount exceeds minterAllowance"));
        vm.prank(ADMINISTRATOR);
        arc.token.configureMinter(address(arc.minter), 50e6);
        mintOn(arc, spec);
    }

    function test_onlyTheOwnerNamesSigners() public {
        bytes memory refusal = abi.encodeWithSelector(Ownable.OwnableUnauthorizedAccount.selector, address(this));
        vm.expectRevert(refusal);
        arc.minter.addAttestationSigner(STRANGER);
        vm.expectRevert(refusal);
        arc.minter.removeAttestationSigner(vm.addr(OPERATOR_KEY));
        vm.prank(ADMINISTRATOR);
        vm.expectRevert(GatewayCommon.InvalidAddress.selector);
        arc.minter.addAttestationSigner(address(0));
    }

    function test_malformedPayloadsAreRefused() public {
        bytes memory good = encodeAttestation(FOREVER, spec);
        refuses(hex"ff6fb3", abi.encodeWithSelector(TransferPayloads.TransferPayloadDataTooShort.selector, 4, 3));
        refuses(hex"00000000", abi.encodeWithSelector(TransferPayloads.InvalidTransferPayloadMagic.selector, bytes4(0)));
        // A burn intent is no attestation.
        refuses(
            encodeIntent(FOREVER, 0, spec),
            abi.encodeWithSelector(TransferPayloads.InvalidTransferPayloadMagic.selector, bytes4(hex"070afbc2"))
        );
        refuses(cut(good, 39), abi.encodeWithSelector(TransferPayloads.TransferPayloadHeaderTooShort.selector, 40, 39));
        refuses(
            cut(good, 379),
            abi.encodeWithSelector(TransferPayloads.TransferPayloadOverallLengthMismatch.selector, 380, 379)
        );
        refuses(
            bytes.concat(good, hex"00"),
            abi.encodeWithSelector(TransferPayloads.TransferPayloadOverallLengthMismatch.selector, 380, 381)
        );
    }

    function test_malformedTermsAreRefused() public {
        bytes memory terms = encodeSpec(spec);
        refuses(
            wrap(cut(terms, 339)), abi.encodeWithSelector(TransferSpecs.TransferSpecHeaderTooShort.selector, 340, 339)
        );
        refuses(
            wrap(bytes.concat(terms, hex"00")),
            abi.encodeWithSelector(TransferSpecs.TransferSpecOverallLengthMismatch.selector, 340, 341)
        );
        terms[7] = 0x02;
        refuses(wrap(terms), abi.encodeWithSelector(TransferSpecs.InvalidTransferSpecVersion.selector, 2));
        terms[0] = 0x00;
        refuses(
            wrap(terms), abi.encodeWithSelector(TransferSpecs.InvalidTransferSpecMagic.selector, bytes4(hex"0085def7"))
        );
    }

    function test_malformedSetsAreRefused() public {
        bytes memory good = encodeAttestation(FOREVER, spec);
        bytes memory set = abi.encodePacked(hex"1e12db71", uint32(1), good);
        refuses(
            hex"1e12db710000", abi.encodeWithSelector(TransferPayloads.TransferPayloadSetHeaderTooShort.selector, 8, 6)
        );
        refuses(
            cut(set, 47),
            abi.encodeWithSelector(TransferPayloads.TransferPayloadSetElementHeaderTooShort.selector, 0, 47, 48)
        );
        refuses(
            cut(set, 387),
            abi.encodeWithSelector(TransferPayloads.TransferPayloadSetElementTooShort.selector, 0, 387, 388)
        );
        refuses(
            bytes.concat(set, hex"00"),
            abi.encodeWithSelector(TransferPayloads.TransferPayloadSetOverallLengthMismatch.selector, 388, 389)
        );
        // More than there is room for, in the count and in the last element.
        refuses(
            abi.encodePacked(hex"1e12db71", type(uint32).max, good),
            abi.encodeWithSelector(
                TransferPayloads.TransferPayloadSetElementHeaderTooShort.selector,
                0,
                388,
                8 + uint256(type(uint32).max) * 40
            )
        );
        refuses(
            abi.encodePacked(hex"1e12db71", uint32(2), good),
            abi.encodeWithSelector(TransferPayloads.TransferPayloadSetElementHeaderTooShort.selector, 1, 388, 428)
        );
        set[8] = 0x00;
        refuses(
            set,
            abi.encodeWithSelector(
                TransferPayloads.TransferPayloadSetInvalidElementMagic.selector, 0, bytes4(hex"006fb334")
            )
        );
    }

    function testFuzz_anAlteredAttestationIsRefused(uint256 place, uint8 change) public {
        bytes memory attestation = encodeAttestation(FOREVER, spec);
        bytes memory signature = signMessage(OPERATOR_KEY, attestation);
        uint256 index = place % attestation.length;
        attestation[index] = bytes1(uint8(attestation[index]) ^ (change == 0 ? 1 : change));
        vm.expectRevert(GatewayMinter.InvalidAttestationSigner.selector);
        arc.minter.gatewayMint(attestation, signature);
    }

    /// The hashes that a depositor signs, against the definition with the type hashes of the real contracts.
    function testFuzz_intentsHaveTheRealHashes(uint256 maxBlockHeight, uint256 maxFee, uint256 value, bytes memory hook)
        public
    {
        spec.value = value;
        spec.hookData = hook;
        bytes32 expected = hashIntent(maxBlockHeight, maxFee, spec);
        bytes memory intent = encodeIntent(maxBlockHeight, maxFee, spec);
        vm.assertEq(base.wallet.getTypedDataHash(intent), expected, "intent");
        bytes memory set = abi.encodePacked(hex"e999239b", uint32(2), intent, intent);
        bytes32 ofSet = keccak256(abi.encode(SET_TYPEHASH, keccak256(abi.encode(expected, expected))));
        vm.assertEq(base.wallet.getTypedDataHash(set), ofSet, "set");
    }

    function refusesSpec(bytes memory reason) private {
        refuses(encodeAttestation(FOREVER, spec), reason);
    }

    function refuses(bytes memory attestation, bytes memory reason) private {
        bytes memory signature = signMessage(OPERATOR_KEY, attestation);
        vm.expectRevert(reason);
        arc.minter.gatewayMint(attestation, signature);
    }

    function wrap(bytes memory terms) private pure returns (bytes memory) {
        return abi.encodePacked(hex"ff6fb334", FOREVER, uint32(terms.length), terms);
    }

    function cut(bytes memory data, uint256 length) private pure returns (bytes memory part) {
        part = new bytes(length);
        for (uint256 index = 0; index < length; index++) {
            part[index] = data[index];
        }
    }
}
